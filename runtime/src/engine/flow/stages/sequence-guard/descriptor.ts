import { originOf } from '@svc/protocol/schema';
import { keyRules, written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const sequenceGuard = describeStage({
  key: 'sequence_guard',
  word: 'sequence_guard',
  block: spec.sequenceGuard,
  places: [lane('gate', ['sequence_guard'], { stages: ['sequence_guard'], detail: 'on_older' })],
  stages: { sequence_guard: { looks: true } },
  stops: (values) => [stop('sequence_guard', originOf(values), [...keyRules(values.key), ...written(values.sequence)])],
  keeps: { storage: 'own' },
});
