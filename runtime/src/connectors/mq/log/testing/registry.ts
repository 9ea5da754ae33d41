import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { type RegistryOptions, RegistryStandIn } from '../../../../../../test/support/servers/schema-registry.ts';
import type { CallRequest } from '../../../../foundation/contracts/target.ts';
import { create } from '../connector.ts';
import type { TestBrokers } from './broker.ts';
import { cleanups, never, written } from './consuming.ts';

/** A schema registry that ends with the test. */
export async function registryOf(options?: RegistryOptions): Promise<RegistryStandIn> {
  const registry = await RegistryStandIn.start(options);
  cleanups.push(() => registry.stop());
  return registry;
}

/** Sends messages to a topic, with what is written of the registry. */
export async function sending(
  brokers: TestBrokers,
  topic: string,
  schema_registry: object,
  words: object = {},
  directory?: string,
) {
  const config = written(brokers, topic, { schema_registry, producer: { topic, linger_ms: 0 } });
  const { consumer: _, ...rest } = config;
  const connector = create('orders', { ...rest, consumer: undefined } as typeof config, {
    ...connectorServices(),
    ...(directory !== undefined && { directory }),
  });
  cleanups.push(() => connector.close());
  await connector.open(never);
  const execute = connector.target?.prepare({
    verb: 'create',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    words,
  } as never);
  return (payload: unknown, params?: CallRequest['params']) =>
    (execute as NonNullable<typeof execute>)({ payload, params } as CallRequest);
}

/** What is written of the schemas of one topic. */
export const ofTopic = (label: string, rest: object) => ({ schemas: { topic: [{ label, ...rest }] } });
/** Bytes before a value of a schema. */
export const prefix = (id: number) => Buffer.from([0, 0, 0, 0, id]);
