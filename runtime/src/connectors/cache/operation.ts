import { block, duration, text } from '@svc/protocol/schema';
import { operationAttributes, operationLabel } from '../spec.ts';

/** `operation "name"` of every cache (document 1, Named operations). */
export const cacheOperation = block({
  doc: 'A family of cache entries that blocks refer to by name.',
  label: operationLabel,
  repeated: true,
  attributes: {
    ...operationAttributes,
    key_pattern: text('Pattern of the keys.', { required: true, example: '"user:*"' }),
    ttl: duration('How long entries live.', { min: 1 }),
  },
});
