import { describeStage, lane } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const after = describeStage({
  key: 'after',
  word: 'after',
  block: spec.after,
  places: [lane('deliver', ['after'], {})],
});
