import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from '../from/spec.ts';

export const filter = describeStage({
  key: 'filter',
  word: 'from',
  block: spec.from,
  places: [lane('gate', ['from', 'filter'], { stages: ['filter'], detail: 'on_reject' })],
  stages: { filter: { looks: true, turnsAway: true, decides: () => true } },
  stops: ({ filter }) => (filter?.condition ? [stop('filter', originOf(filter), [filter.condition])] : []),
});
