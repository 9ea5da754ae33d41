import { originOf } from '@svc/protocol/schema';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const idempotency = describeStage({
  key: 'idempotency',
  word: 'idempotency',
  block: spec.idempotency,
  places: [lane('gate', ['idempotency'], { stages: ['idempotency'], detail: 'storage' })],
  stages: { idempotency: { looks: true } },
  stops: (values) => [stop('idempotency', originOf(values), written(values.key))],
  keeps: { storage: 'cache', attribute: 'storage' },
  keepsAnswers: true,
});
