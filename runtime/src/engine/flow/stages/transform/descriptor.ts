import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import { enrichAsks, enrichStops } from '../enrich/descriptor.ts';
import * as spec from './spec.ts';

export const transform = describeStage({
  key: 'transform',
  word: 'transform',
  block: spec.transform,
  places: [
    lane('gather', ['transform', 'enrich'], { stages: ['enrich'], detail: 'connector' }),
    lane('shape', ['transform'], { stages: ['transform'] }),
  ],
  stages: {
    transform: { builds: true, makes: ['answer', 'call'], gives: ({ output, answer }) => output ?? answer },
  },
  stops: (values) => [
    ...enrichStops(values.enrich),
    ...(values.fields.length === 0 ? [] : [stop('transform', originOf(values), values.fields)]),
  ],
  asks: (values) => enrichAsks(values.enrich),
  work: 'piece',
  readsChecked: true,
});
