import { originOf } from '@svc/protocol/schema';
import { argumentRules, written } from '../../pipeline/argument-rules.ts';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const step = describeStage({
  key: 'step',
  word: 'step',
  block: spec.step,
  places: [lane('gather', ['step'], { stages: ['step'], detail: 'connector' })],
  stages: {
    step: {
      makes: ['answer', 'call'],
      decides: ({ target }) => /(^|\.)when$/.test(target),
      gives: (frame, name) => frame.step[name],
    },
  },
  stops: (steps) =>
    steps.map((values) => {
      const { when, params, body, headers } = values;
      const rules = [...written(when), ...argumentRules(params), ...argumentRules(body), ...(headers?.fields ?? [])];
      return stop('step', originOf(values), rules, values.label);
    }),
  asks: (steps) => steps.map((values) => ({ kind: 'step', title: `step "${values.label}"`, values })),
  work: 'piece',
  readsChecked: true,
});
