import type { ConnectorSpec } from '@svc/protocol/schema';
import { connectors } from '../catalog.ts';
import type { Factory } from '../contracts/connector.ts';

type Catalogue = typeof connectors;

/** One loader for every entry of the catalogue: a missing one does not compile, and nothing is imported unasked. */
const loaders: { readonly [K in keyof Catalogue]: () => Promise<{ readonly create: Factory<Catalogue[K]> }> } = {
  rest: () => import('./rest/connector.ts'),
  http: () => import('./http/connector.ts'),
  'database/sqlite': () => import('./database/sqlite/connector.ts'),
  'database/postgres': () => import('./database/postgres/connector.ts'),
  'cache/memory': () => import('./cache/memory/connector.ts'),
  'cache/redis': () => import('./cache/kv/connector.ts'),
  websocket: () => import('./websocket/connector.ts'),
  mqtt: () => import('./mqtt/connector.ts'),
  'mq/amqp': () => import('./mq/amqp/connector.ts'),
};

/** Loads the code of a connector. Rejects only when a part of the program itself is missing. */
export async function loadFactory(spec: ConnectorSpec): Promise<Factory<ConnectorSpec>> {
  const key = Object.entries(connectors).find(([, candidate]) => candidate === spec)?.[0];
  if (key === undefined) throw new Error(`connector type "${spec.type}" is not in the catalogue`);
  const { create } = await loaders[key as keyof Catalogue]();
  // The configuration was decoded by this very spec, so the factory gets the values that it expects.
  return create as unknown as Factory<ConnectorSpec>;
}
