import { block, connector, duration, flag, int, list, oneOf, size, text, type Values } from '@svc/protocol/schema';
import { format } from '../../../platform/formats/format-spec.ts';
import { maxMessage, reconnectAttributes } from '../../../platform/net/server-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector, operationAttributes, operationLabel } from '../../core/spec.ts';
import { consumerRules, messageWords, prefetch, workers } from '../../intake/broker/consumer-spec.ts';
import { checkLength } from '../../intake/dispatch/operation-rules.ts';
import { formOf } from './brokers.ts';
import { type KeyFormat, keyFormats } from './keys/formats.ts';
import { checkCall, checkCommand, messageParameters } from './publish/parameters.ts';
import { schemaRegistry } from './schemas/spec.ts';
import { startPositionPattern } from './start-position-pattern.ts';
import { checkTopic, longestTopic, topicPattern } from './topics.ts';

const keyFormat = (doc: string) =>
  oneOf(
    `${doc} \`int\` and \`long\` are 4 and 8 bytes, the highest first; \`uuid\` is 16 bytes, which flows see and write as text, and which is read as its text too.`,
    keyFormats,
    { default: 'text' },
  );

/** Of a `consumer` block. */
interface Group {
  readonly group_id: string;
  readonly group_instance_id?: string;
}

const deadLetters = block({
  doc: 'What becomes of messages that keep failing: after its last try a message is sent to a topic of its own, with where it came from and why it failed in headers, and counts as done when every replica in step has it.',
  attributes: {
    enabled: flag(
      'False: no message is given up. The offset of its partition stays where it is, and after a restart everything behind it comes again.',
      { default: true },
    ),
    max_retries: int('Tries after the first one.', { default: 3, min: 0, max: 1_000_000 }),
    topic: text('Topic for messages that are given up; `<topic>.dlq` when absent.', { pattern: topicPattern }),
  },
});

const consumer = block({
  doc: 'The topics that messages are taken from, as a member of a group. Each partition is read by one member at a time. What is done and contiguous in it is committed; after a restart everything from the first message that is not done comes again.',
  attributes: {
    group_id: text('Group whose members share the partitions.', { required: true, example: '"order-service"' }),
    group_instance_id: text(
      'Name of this member, which no other member of the group has (static membership): a process that ends and is back within `session_timeout` has its partitions again, and no other member is disturbed.',
      {
        pattern: { source: '^[A-Za-z0-9._-]{1,249}$', says: 'must be letters, digits, `.`, `_` and `-`, at most 249' },
      },
    ),
    group_protocol: text('How the members of the group come together.', {
      default: 'classic',
      pattern: {
        source: '^classic$',
        says: 'must be "classic": the client library of svc does not speak the protocol "consumer" of KIP-848',
      },
    }),
    topics: list('Names of the topics.', text('Name of a topic.', { pattern: topicPattern }), {
      required: true,
      example: '["orders"]',
    }),
    offset: text(
      'Where the group begins in a partition of which it has committed nothing: `earliest`, `latest`, an offset, or a time from which on messages are read.',
      { default: 'earliest', aliases: ['auto_offset_reset'], pattern: startPositionPattern },
    ),
    auto_commit: flag(
      'Messages count as done when they are handed to flows, whatever becomes of them: what is under way when the service ends is lost.',
      { default: false },
    ),
    key_format: keyFormat(
      'What keys are that have no schema. A key that does not have this format makes its message a dead letter; `text` gives bytes that are not UTF-8 as bytes.',
    ),
    prefetch: prefetch(10, 'Most messages that are with flows or wait for them. Fetching goes ahead of it.'),
    workers: workers(1),
    retry_count: int('Short for a `dlq` block with this many `max_retries`.', { min: 0, max: 1_000_000 }),
    create_if_missing: flag('Creates topics that do not exist, and those for dead letters.', { default: false }),
    min_bytes: size('How much a broker waits for before it answers.', { default: 1, min: 1, max: 1_073_741_824 }),
    max_bytes: size('Largest answer of a broker, and most bytes that wait in this service before no more is fetched.', {
      default: 10_485_760,
      min: 1024,
      max: 1_073_741_824,
    }),
    max_wait_time: duration('How long a broker waits for `min_bytes`.', { default: 500, min: 1, max: 20_000 }),
    session_timeout: duration('How long a member may be silent before its partitions go to others.', {
      default: 30_000,
      min: 1_000,
    }),
    rebalance_timeout: duration(
      'How long the members have to join again when the group changes. Messages under way of a partition that moves to another member are waited for during two thirds of it; the others continue.',
      { default: 60_000, min: 1_000 },
    ),
  },
  blocks: { dlq: deadLetters },
  rules: consumerRules,
});

const producer = block({
  doc: 'How messages are sent. Those of one topic that come while others of it are on their way go together.',
  attributes: {
    topic: text('Topic of destinations and steps that name none.', { pattern: topicPattern }),
    acks: oneOf(
      'Who must have a message before the flow continues: the leader of its partition and all replicas in step with it, the leader alone, or no broker.',
      ['all', 'leader', 'none'],
      { default: 'all', synonyms: { one: 'leader' } },
    ),
    key_format: keyFormat(
      'What keys are that have no schema. A message for which a flow writes none has a UUID as `text` or `uuid`, and no key otherwise.',
    ),
    idempotent: flag(
      'The brokers keep a message once, however often it is sent again within `retries`, and in its order (the idempotent producer). It needs `acks = "all"`. Where nothing is written it is so with `acks = "all"`, unless the brokers give this user no producer id: then the log warns, and a message may be there twice. With true such a message fails.',
    ),
    retries: int('Further tries of what the brokers did not take.', {
      default: 3,
      min: 0,
      max: 1000,
    }),
    timeout: duration('Longest wait for the brokers to take a message, with all tries.', { default: 30_000, min: 1 }),
    batch_size: size('Bytes of waiting messages of a topic that are sent without waiting for `linger_ms`.', {
      default: 16_384,
      min: 1,
    }),
    max_message_size: size(
      'Largest message that is sent, with its key and headers, and most bytes that go together, before compression. The topic must take as many: its `max.message.bytes`, or `message.max.bytes` of its brokers.',
      { default: 1_048_576, min: 1, max: 1_073_741_824 },
    ),
    linger_ms: int('Milliseconds that the first message of a topic waits for others; 0 sends at the end of the tick.', {
      default: 5,
      min: 0,
      max: 60_000,
    }),
    compression: oneOf('How messages that go together are compressed.', ['none', 'gzip', 'snappy', 'lz4', 'zstd'], {
      default: 'none',
    }),
  },
  rules: [{ rule: 'onlyWhen', name: 'idempotent', when: 'acks', is: ['all'] }],
});

const sasl = block({
  doc: 'How this side signs in.',
  attributes: {
    mechanism: oneOf(
      'SASL mechanism. `PLAIN` shows the password to the broker: use it with TLS.',
      ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
      { default: 'PLAIN' },
    ),
    username: text('Who signs in.', { required: true, aliases: ['user'] }),
    password: text('Password of the user.', { required: true, secret: true }),
  },
});

const sent = {
  tombstone: flag(
    'A message whose payload has no field, or none but nulls, is sent without a value: it removes what a compacted topic has under its key.',
    { default: false },
  ),
  format: format(
    'Codec of the message. With a `schema_registry` it is sent in this format, and not with the schema of its topic.',
  ),
};

/** What a destination or a step says of one message. */
export const sentWords = block({ doc: 'How one message is sent.', attributes: sent });

/** `type = "mq"`, `driver = "kafka"` (docs/specification/queues.md#kafka). */
export const partitionedLog = connector({
  type: 'mq',
  driver: 'kafka',
  driverAliases: ['partitioned_log'],
  canonical: 'partitioned_log',
  speaks: formOf,
  kind: 'queue',
  config: block({
    doc: 'Takes messages from topics of Kafka brokers as a member of a group, and sends messages to topics. With one worker messages are handled in the order of their partitions, with several those of one key are. A message whose flow failed is tried again after a pause that grows from 1 to 30 seconds while others pass; after its last try it is sent to `<topic>.dlq`.',
    attributes: {
      brokers: list(
        'Brokers that are asked for the others: `host:port`.',
        text('Address of a broker.', {
          pattern: {
            source:
              '^\\s*([^\\s,/:@]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}(\\s*,\\s*([^\\s,/:@]+|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5})*\\s*$',
            says: 'must be `host:port`',
          },
        }),
        { default: ['localhost:9092'], example: '["kafka-1:9092", "kafka-2:9092"]' },
      ),
      client_id: text('What the brokers call this client; the name of the connector when absent.'),
      max_response: maxMessage(
        'Largest response of a broker, and largest batch of messages after it was decompressed. A larger batch is passed over as it comes, and given up with its size in the log: the dead letters have its place without its bytes.',
        134_217_728,
        1_073_741_824,
      ),
      metadata_max_age: duration(
        'After which time the brokers are asked again where partitions are; partitions that a topic got are noticed by then.',
        { default: 30_000, min: 100, max: 86_400_000 },
      ),
      ...reconnectAttributes,
      ...everyConnector.attributes,
    },
    blocks: { consumer, producer, sasl, schema_registry: schemaRegistry, tls: tlsBlock },
    example: `connector "orders" {
  type    = "mq"
  driver  = "kafka"
  brokers = ["kafka-1:9092", "kafka-2:9092"]
  consumer {
    group_id = "order-service"
    topics   = ["orders"]
  }
  producer {
    topic = "invoices"
  }
}`,
  }),
  operation: block({
    doc: 'A topic that flows call by name.',
    label: operationLabel,
    repeated: true,
    attributes: {
      ...operationAttributes,
      queue: text('Name of the topic.', { required: true, aliases: ['topic'], pattern: topicPattern }),
    },
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    checkConfig: ({ consumer }) => {
      if (consumer === undefined)
        return 'it has no `consumer` block, which says which topics messages are taken from and for which group';
      return (consumer as Group).group_instance_id === ''
        ? 'the `group_instance_id` of its `consumer` block is empty: write the name of this member, or leave it out'
        : undefined;
    },
    member: ({ brokers, consumer = {} }) => {
      const { group_id: group = '', group_instance_id: member = '' } = consumer as Partial<Group>;
      if (member === '') return undefined;
      const servers = (brokers as readonly string[]).flatMap((written) => written.split(','));
      const at = ['consumer', 'group_instance_id'];
      return { name: `member "${member}" of group "${group}"`, servers: servers.map((server) => server.trim()), at };
    },
    redelivers: true,
    pulls: true,
    placement: 'every-worker',
    namesProcess: { whereWritten: [['consumer', 'group_instance_id']] },
    input: {
      body: 'The value: decoded JSON, else the text, else bytes where it is not UTF-8; decoded as `from.format` says when it is written, else with a `schema_registry` by the schema that it names. Null for a message without a value.',
      headers:
        'Headers by name, as texts, as bytes where they are not UTF-8; a list where a header came several times.',
      topic: 'The topic.',
      partition: 'Number of the partition.',
      offset: 'Offset in the partition.',
      key: 'The key by `key_format` of the consumer: a text, bytes where it is not UTF-8, or what is written there. Without a key, and with `none`, an empty text; null with the other formats. Where the topic has a schema of keys, what they are by it.',
      timestamp: 'When it was sent, Unix seconds.',
    },
    checkOperation: (operation) =>
      operation === '*' ? undefined : (checkLength(operation, longestTopic, 'a topic') ?? checkTopic(operation)),
  },
  target: {
    abilities: ['write'],
    needsOneOf: [],
    offers: ['PUBLISH'],
    checkTarget: checkTopic,
    checkOperation: checkCommand,
    checkCall,
    parameters: (_, __, config) => {
      const { key_format = 'text' } = (config?.['producer'] ?? {}) as { readonly key_format?: KeyFormat };
      return config?.['schema_registry'] === undefined ? messageParameters(key_format) : messageParameters(undefined);
    },
  },
  channels: {
    protocol: 'kafka',
    taken: (operation, { consumer }) =>
      operation ?? (consumer as { readonly topics?: readonly string[] } | undefined)?.topics?.join(','),
    sent: (target, { producer }) =>
      target === undefined ? (producer as { readonly topic?: string } | undefined)?.topic : (target ?? undefined),
    payload: 'body',
  },
  words: {
    from: messageWords,
    to: block({ doc: 'What a destination says of a message.', attributes: sent }),
    step: block({ doc: 'What a step says of a message.', attributes: sent }),
  },
});

export type LogConfig = Values<(typeof partitionedLog)['config']>;
