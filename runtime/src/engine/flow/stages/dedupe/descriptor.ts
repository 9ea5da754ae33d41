import { originOf } from '@svc/protocol/schema';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const dedupe = describeStage({
  key: 'dedupe',
  word: 'dedupe',
  block: spec.dedupe,
  places: [lane('gate', ['dedupe'], { stages: ['dedupe'], detail: 'cache' })],
  stages: { dedupe: { looks: true, decides: ({ target }) => target === 'compare_when' } },
  // The part before the destinations of a writing flow exists only when it has destinations.
  stops: (values, { destinations }) => {
    if (!destinations().some(({ verb }) => verb !== 'read')) return [];
    const { key, compare_when: condition, fingerprint, facet = [] } = values;
    const compared = [fingerprint, ...facet.map((each) => each.fingerprint)].flatMap((each) => each?.fields ?? []);
    return [stop('dedupe', originOf(values), [...written(key, condition), ...compared])];
  },
  work: 'piece',
  keeps: { storage: 'cache', attribute: 'cache' },
});
