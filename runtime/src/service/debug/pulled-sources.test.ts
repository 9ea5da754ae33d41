import type { ConnectorSpec } from '@svc/protocol/schema';
import { expect, test } from 'vitest';
import { connectors } from '../../connectors/catalog.ts';

/** How a debugger gets the messages of each event source, by what it is called there. */
const known = {
  // Those that the protocol lists.
  amqp_broker: 'pulled',
  partitioned_log: 'pulled',
  mqtt: 'pushed',
  kv_pubsub: 'pushed',
  cdc: 'pushed',
  file: 'pushed',
  websocket: 'pushed',
  // Those that it does not list.
  nats: 'pulled with a stream',
  object_store: 'pushed',
  mongodb: 'pushed',
  graphql_client: 'pushed',
  grpc_client: 'pushed',
};

/** Sources of requests, which are not held back. */
const askers = new Set(['tcp', 'sse', 'webhook']);

test('every event source is pulled or pushed as the debug protocol says', () => {
  const found: Record<string, string> = {};
  for (const { canonical, source } of Object.values(connectors) as ConnectorSpec[]) {
    if (source?.style !== 'stream' || askers.has(canonical)) continue;
    const { pulls } = source;
    if (pulls === undefined) found[canonical] = 'pushed';
    else if (pulls === true) found[canonical] = 'pulled';
    else found[canonical] = pulls.whereWritten.join() === 'consumer,stream' ? 'pulled with a stream' : 'pulled';
  }
  expect(found).toEqual(known);
});
