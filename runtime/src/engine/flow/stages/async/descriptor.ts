import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const async = describeStage({
  key: 'async',
  word: 'async',
  block: spec.async,
  places: [lane('gate', ['async'], { stages: ['async'], detail: 'storage' })],
  stages: { async: { looks: true } },
  stops: (values) => [stop('async', originOf(values))],
  keeps: { storage: 'cache', attribute: 'storage' },
  keepsAnswers: true,
});
