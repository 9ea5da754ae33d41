import { block, connector, int, lifetime, oneOf } from '@svc/protocol/schema';
import { everyConnector } from '../../core/spec.ts';
import { immediateOperation, target } from '../target/spec.ts';

/** The cache inside the process. */
export const memoryCache = connector({
  type: 'cache',
  driver: 'memory',
  canonical: 'memory',
  kind: 'cache',
  config: block({
    doc: 'Keeps entries in the memory of this process. They are lost with it, and no other process sees them.',
    attributes: {
      max_items: int('Entries kept; beyond it the one unused for longest goes.', { default: 10_000, min: 1 }),
      eviction: oneOf('Which entry goes when there are too many.', ['lru'], { default: 'lru' }),
      default_ttl: lifetime('How long entries live that do not say it; for ever when absent.', { min: 0 }),
      ...everyConnector.attributes,
    },
    unavailable: ['prefix'],
    example: `connector "recent" {
  type        = "cache"
  driver      = "memory"
  max_items   = 5000
  default_ttl = "5m"
}`,
  }),
  operation: immediateOperation,
  target,
  storage: true,
  processLocal: true,
});
