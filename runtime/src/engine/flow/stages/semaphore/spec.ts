import { argument, block, duration, int, oneOf } from '@svc/protocol/schema';
import { storage } from '../../../../platform/sync/storage-spec.ts';

export const semaphore = block({
  doc: 'A limited number of messages at a time: further ones wait until the flow has handled one of them.',
  reusable: true,
  definitionNeeds: ['key'],
  attributes: {
    key: argument(
      'Messages with equal keys share one pool of permits. A key that cannot be determined fails the message.',
      {
        required: true,
        reads: ['input'],
        form: 'key',
        decides: true,
        example: '"ledger"',
      },
    ),
    max_permits: int('Messages that may run at a time.', { required: true, min: 1, aliases: ['limit'] }),
    timeout: duration('Longest wait for a permit.', { default: 30_000, min: 1 }),
    lease: duration(
      'How long a permit outlives a process that ended without releasing it. It is extended while the flow runs.',
      { default: 60_000, min: 100 },
    ),
    scope: oneOf('`process` accepts that each worker has permits of its own.', ['process']),
  },
  blocks: { storage },
  example: 'semaphore {\n  key         = "ledger"\n  max_permits = 5\n}',
});
