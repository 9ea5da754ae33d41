import { originOf } from '@svc/protocol/schema';
import { describeStage, lane, stop } from '../../pipeline/descriptor.ts';
import * as spec from './spec.ts';

export const cache = describeStage({
  key: 'cache',
  word: 'cache',
  block: spec.cache,
  places: [lane('gate', ['cache'], { stages: ['cache_hit', 'cache_miss'], detail: 'storage' })],
  stages: {
    cache_hit: { looks: true, alternative: true, takes: ({ answer }) => answer, gives: ({ answer }) => answer },
    cache_miss: { looks: true, alternative: true },
  },
  stops: (values) => [stop('cache_hit', originOf(values)), stop('cache_miss', originOf(values))],
  work: 'piece',
  keepsAnswers: true,
});
