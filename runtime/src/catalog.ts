import type { Vocabulary } from '@svc/protocol/schema';
import { kvCache } from './connectors/cache/kv/spec.ts';
import { memoryCache } from './connectors/cache/memory/spec.ts';
import { postgres } from './connectors/database/postgres/spec.ts';
import { sqlite } from './connectors/database/sqlite/spec.ts';
import { http } from './connectors/http/spec.ts';
import { amqp } from './connectors/mq/amqp/spec.ts';
import { mqtt } from './connectors/mqtt/spec.ts';
import { profiled, profilePart } from './connectors/profile/spec.ts';
import { rest } from './connectors/rest/spec.ts';
import { websocket } from './connectors/websocket/spec.ts';
import { rootBlocks, unavailableRootBlocks } from './flow/root-spec.ts';
import { test } from './harness/spec.ts';
import { mocks } from './mocks/spec.ts';
import { service } from './service/spec.ts';

/** Every connector that is built, by the key under which `connectors/registry.ts` loads its code. */
export const connectors = {
  rest,
  http,
  'database/sqlite': sqlite,
  'database/postgres': postgres,
  'cache/memory': memoryCache,
  'cache/redis': kvCache,
  'mq/amqp': amqp,
  mqtt,
  websocket,
} as const;

/** Everything that may be written in a configuration. Data alone: safe to import in a browser. */
export const vocabulary: Vocabulary = {
  blocks: { service, ...rootBlocks, mocks, test },
  connectors: Object.values(connectors),
  profiled,
  everyProfile: profilePart,
  unavailable: {
    blocks: unavailableRootBlocks,
    connectors: [
      'database/mysql',
      'database/mongodb',
      'database/mongo',
      'graphql',
      'grpc',
      'soap',
      'mq/partitioned_log',
      'mq/kafka',
      'mq/kv_pubsub',
      'mq/redis',
      'tcp',
      'ftp',
      'file',
      'object_store',
      's3',
      'exec',
      'sse',
      'cdc',
      'search',
      'elasticsearch',
      'pdf',
      'oauth',
      'email',
      'team_chat',
      'slack',
      'community_chat',
      'discord',
      'sms',
      'push',
      'webhook',
    ],
  },
};
