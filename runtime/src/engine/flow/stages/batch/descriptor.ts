import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const batch = describeStage({
  key: 'batch',
  word: 'batch',
  block: spec.batch,
  places: [lane('deliver', ['batch'], { stages: ['read', 'transform', 'write'], detail: 'source' })],
  stops: (values) => [
    stop('read', originOf(values, 'source'), [], values.source),
    stop('transform', originOf(values), values.transform?.fields ?? [], 'chunk'),
    ...(values.to ? [stop('write', originOf(values.to), [], values.to.connector)] : []),
  ],
  asks: ({ to }) => (to ? [{ kind: 'batch', title: 'to of the batch', values: to }] : []),
  work: 'whole',
});
