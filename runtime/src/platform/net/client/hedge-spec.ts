import { block, duration, int, type Values } from '@svc/protocol/schema';

/** Requests that are sent again when their answer is late (docs/specification/http-client.md#hedged-requests). */
export const hedgeBlock = block({
  doc: 'Sends a request that only reads (GET, HEAD, OPTIONS, QUERY) again when its answer is late; the first good answer is taken, and the other request is given up.',
  attributes: {
    after: duration('How long an answer is waited for before the request is sent again.', {
      required: true,
      min: 1,
      example: '"200ms"',
    }),
    max: int('Requests in all, the first included; each further one after the same time.', {
      default: 2,
      min: 2,
      max: 5,
    }),
  },
});

export type HedgeConfig = Values<typeof hedgeBlock>;
