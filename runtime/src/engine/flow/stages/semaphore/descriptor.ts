import { originOf } from '@svc/protocol/schema';
import { keyRules } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const semaphore = describeStage({
  key: 'semaphore',
  word: 'semaphore',
  block: spec.semaphore,
  places: [lane('gate', ['semaphore'], { stages: ['semaphore'], detail: 'key' })],
  stages: { semaphore: { looks: true } },
  stops: (values) => [stop('semaphore', originOf(values), keyRules(values.key))],
  keeps: { storage: 'own' },
  holds: 'permit',
});
