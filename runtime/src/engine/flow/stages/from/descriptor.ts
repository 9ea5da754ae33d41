import { when as schedule } from '../../../schedule/spec.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const from = describeStage({
  word: 'from',
  block: spec.from,
  places: [lane('gate', ['from'], { stages: ['input'], detail: 'connector' })],
});

export const when = describeStage({
  word: 'when',
  block: schedule,
  places: [lane('gate', ['when'], { detail: 'schedule' })],
});

/** Announces the original message. */
export const input = describeStage({
  key: 'input',
  stages: { input: { looks: true } },
  stops: (_, { at }) => [stop('input', at)],
});
