import { argument, block, cel, lifetime, oneOf } from '@svc/protocol/schema';
import { storage } from '../../../../platform/sync/storage-spec.ts';
import { dropPolicies } from '../from/spec.ts';

export const sequenceGuard = block({
  doc: 'Lets a message through when its number is higher than the last one of the same key. The number is kept when the flow has succeeded, and never lowered. A `lock` on the same key keeps two messages from being compared at once.',
  reusable: true,
  definitionNeeds: ['key', 'sequence', 'storage'],
  attributes: {
    key: argument('The object that is numbered. A key that cannot be determined fails the message.', {
      required: true,
      reads: ['input'],
      form: 'key',
      decides: true,
      example: '"\'stock:\' + input.sku"',
    }),
    sequence: cel('The number of the message; what is missing or not a number counts as 0.', {
      required: true,
      reads: ['input'],
      decides: true,
    }),
    on_older: oneOf('What happens to a message that is not newer.', dropPolicies, { default: 'ack' }),
    ttl: lifetime('How long a number is kept after it was raised; without expiry when absent.', { min: 1 }),
    scope: oneOf('`process` accepts that each worker has numbers of its own.', ['process']),
  },
  blocks: { storage },
  example:
    'sequence_guard {\n  key      = "\'stock:\' + input.sku"\n  sequence = "input.revision"\n  ttl      = "14d"\n  storage { driver = "memory" }\n}',
});
