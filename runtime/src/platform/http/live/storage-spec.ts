import { block, text } from '@svc/protocol/schema';
import { storage } from '../../sync/storage-spec.ts';

/** Where connectors that keep clients connected share what flows send to them. */
export const liveStorage = block({
  doc: 'Where what flows send passes, so that it reaches clients that are connected to other processes of the service too, each once. Without it: clients of this process alone. It needs Redis 5 or later.',
  attributes: {
    ...storage.attributes,
    key: text(
      'Name under which processes find each other at the server, those of another service too. Default: the names of the service and of the connector.',
      {
        pattern: { source: '^[!-z|~]{1,128}$', says: 'must be a word of at most 128 characters without braces' },
        example: '"board.live"',
      },
    ),
  },
  rules: storage.rules,
  example: 'storage {\n  driver = "redis"\n  url    = env("REDIS_URL")\n}',
});
