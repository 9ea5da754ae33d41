import { originOf } from '@svc/protocol/schema';
import { written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const coordinate = describeStage({
  key: 'coordinate',
  word: 'coordinate',
  block: spec.coordinate,
  places: [lane('gate', ['coordinate'], { stages: ['coordinate'], detail: 'on_timeout' })],
  stages: { coordinate: { looks: true, decides: ({ target }) => target === 'when' } },
  stops: ({ wait, signal }) => [
    ...(wait ? [stop('coordinate', originOf(wait), written(wait.when, wait.for), 'wait')] : []),
    ...(signal ? [stop('coordinate', originOf(signal), written(signal.when, signal.emit), 'signal')] : []),
  ],
  keeps: { storage: 'own' },
});

/** Keeps the result of the flow for the condition of its signal. */
export const coordinated = describeStage({ key: 'coordinated' });
