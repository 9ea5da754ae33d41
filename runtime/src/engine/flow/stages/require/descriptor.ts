import { describeStage, lane } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const require_ = describeStage({
  key: 'require',
  word: 'require',
  block: spec.require_,
  places: [lane('gate', ['require'], { detail: 'roles' })],
});
