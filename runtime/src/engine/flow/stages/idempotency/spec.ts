import { block, cel, duration, lifetime, oneOf, reference } from '@svc/protocol/schema';

export const idempotency = block({
  doc: 'Runs requests with the same key once: the others wait for it and get its answer. A different request with the key of an earlier one is refused.',
  attributes: {
    storage: reference('The cache connector that keeps the answers.', 'storage', { required: true }),
    key: cel('Names the request. Null and an empty text mean that this request may be repeated.', {
      required: true,
      reads: ['input'],
      decides: true,
      example: `"input.headers['idempotency-key'] ?? ''"`,
    }),
    ttl: lifetime('How long an answer is kept.', { default: 86_400_000, min: 1 }),
    wait: duration('How long a request waits for an earlier one with its key; after it the answer is 409.', {
      default: 10_000,
      min: 0,
    }),
    scope: oneOf('`process` accepts that each worker keeps answers of its own.', ['process']),
  },
  example:
    'idempotency {\n  storage = "memory"\n  key     = "input.headers[\'idempotency-key\'] ?? \'\'"\n  ttl     = "24h"\n}',
});
