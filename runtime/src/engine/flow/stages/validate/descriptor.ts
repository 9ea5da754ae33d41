import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const validateInput = describeStage({
  key: 'validate_input',
  word: 'validate',
  block: spec.validate,
  root: { type: spec.type, validator: spec.validator },
  places: [lane('gate', ['validate', 'input'], { word: 'validate', stages: ['validate_input'] })],
  stages: { validate_input: { looks: true } },
  stops: (values) => (values.input ? [stop('validate_input', originOf(values, 'input'))] : []),
});

export const validateOutput = describeStage({
  key: 'validate_output',
  word: 'validate',
  block: spec.validate,
  places: [lane('deliver', ['validate', 'output'], { word: 'validate', stages: ['validate_output'] })],
  stages: {
    validate_output: {
      looks: true,
      sees: ({ answer }) => answer,
      takes: ({ answer }) => answer,
      gives: ({ answer }) => answer,
    },
  },
  stops: (values) => (values.output ? [stop('validate_output', originOf(values, 'output'))] : []),
});
