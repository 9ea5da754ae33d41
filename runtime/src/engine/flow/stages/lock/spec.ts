import { argument, block, duration, flag, oneOf } from '@svc/protocol/schema';
import { storage } from '../../../../platform/sync/storage-spec.ts';

export const lock = block({
  doc: 'One message at a time: others with the same key wait until the flow has handled it.',
  reusable: true,
  definitionNeeds: ['key'],
  attributes: {
    key: argument('Messages with equal keys exclude each other. A key that cannot be determined fails the message.', {
      required: true,
      reads: ['input'],
      form: 'key',
      decides: true,
      example: '"\'stock:\' + input.sku"',
    }),
    timeout: duration(
      'Longest wait for the lock, and how long it outlives a process that ended without releasing it. It is extended while the flow runs.',
      { default: 30_000, min: 100 },
    ),
    wait: flag('false fails at once when another message holds the lock.', { default: true }),
    retry: duration('Time between two attempts.', { default: 100, min: 1 }),
    scope: oneOf('`process` accepts that each worker has locks of its own.', ['process']),
  },
  blocks: { storage },
  example: 'lock {\n  key     = "\'stock:\' + input.sku"\n  timeout = "8s"\n}',
});
