import { TestBrokers } from '../../../../runtime/src/connectors/mq/log/testing/broker.ts';
import type { StandInOptions } from '../../../support/servers/kafka/stand-in.ts';
import { RegistryStandIn } from '../../../support/servers/schema-registry.ts';
import { handing, type OtherEnd, type Row, taking, throughItself, type Written } from '../row.ts';

const password = 'wide-open-password';

/** A schema of each format, for a message with a text. */
const schemas = {
  avro: JSON.stringify({ type: 'record', name: 'Said', fields: [{ name: 'text', type: 'string' }] }),
  json: JSON.stringify({ type: 'object', properties: { text: { type: 'string' } }, required: ['text'] }),
  protobuf: 'syntax = "proto3";\nmessage Said {\n  string text = 1;\n}\n',
} as const;

/** What each sends to a topic comes back to it. */
export const log: readonly Row[] = [
  ...['none', 'gzip', 'snappy', 'lz4', 'zstd'].map(
    (compression): Row => ({
      name: `log_${compression}`,
      connector: 'mq/log',
      chosen: { producer: { compression } },
      start: (name) => ofTopic(name),
    }),
  ),
  ...['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
    (mechanism): Row => ({
      name: `log_${mechanism.toLowerCase().replaceAll('-', '_')}`,
      connector: 'mq/log',
      chosen: { sasl: { mechanism } },
      start: (name) =>
        ofTopic(name, { users: [{ name: 'app', password }] }, () => ({ sasl: { username: 'app', password } })),
    }),
  ),
  ...(['avro', 'json', 'protobuf'] as const).map(
    (format): Row => ({
      name: `log_${format}`,
      connector: 'mq/log',
      chosen: { schema_registry: { format } },
      start: async (name) => {
        const registry = await RegistryStandIn.start();
        const end = await ofTopic(name, undefined, (topic) => ({
          schema_registry: {
            url: registry.url,
            auto_register: true,
            schemas: { topic: [{ label: topic, value_schema: schemas[format] }] },
          },
        }));
        return {
          ...end,
          close: async () => {
            await end.close?.();
            await registry.stop();
          },
        };
      },
    }),
  ),
];

/** A topic of its own; `options` ask for a stand-in of brokers. */
async function ofTopic(
  name: string,
  options?: StandInOptions,
  further: (topic: string) => Written = () => ({}),
): Promise<OtherEnd> {
  const brokers = await TestBrokers.start(options);
  const topic = await brokers.topic();
  return {
    block: {
      brokers: [...brokers.addresses],
      consumer: { group_id: topic, topics: [topic], offset: 'earliest' },
      producer: { topic, linger_ms: 0 },
      ...further(topic),
    },
    hcl: handing(name, '') + taking(name, '', 'input.body.text'),
    ...throughItself(name),
    close: () => brokers.stop(),
  };
}
