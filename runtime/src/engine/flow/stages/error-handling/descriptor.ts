import { describeStage, lane } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const errorResponse = describeStage({ key: 'error_response' });

export const errorHandling = describeStage({
  key: 'retry',
  word: 'error_handling',
  block: spec.errorHandling,
  reusable: { retry: spec.retry },
  places: [lane('deliver', ['error_handling'], { last: true })],
});
