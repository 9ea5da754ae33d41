import { originOf } from '@svc/protocol/schema';
import { keyRules } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const lock = describeStage({
  key: 'lock',
  word: 'lock',
  block: spec.lock,
  places: [lane('gate', ['lock'], { stages: ['lock'], detail: 'key' })],
  stages: { lock: { looks: true } },
  stops: (values) => [stop('lock', originOf(values), keyRules(values.key))],
  keeps: { storage: 'own' },
  holds: 'lock',
});
