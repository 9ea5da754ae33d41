import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const accept = describeStage({
  key: 'accept',
  word: 'accept',
  block: spec.accept,
  places: [lane('gate', ['accept'], { stages: ['accept'], detail: 'on_reject' })],
  stages: { accept: { looks: true, turnsAway: true, decides: () => true } },
  stops: (values) => (values.when ? [stop('accept', originOf(values), [values.when])] : []),
});
