import { block, reference, type Values } from '@svc/protocol/schema';

/** Which answers are not asked for again (docs/specification/http-client.md#caching). */
export const cacheBlock = block({
  doc: 'Keeps the answers to GET as long as their own headers say (`Cache-Control`, `Expires`, `ETag`, `Last-Modified`). Requests with other headers share nothing.',
  attributes: {
    storage: reference(
      'The cache connector that keeps them, for every process that uses it. Absent: up to 32 MB in the memory of the process.',
      'storage',
    ),
  },
});

export type CacheConfig = Values<typeof cacheBlock>;
