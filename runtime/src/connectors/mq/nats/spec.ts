import { block, connector, duration, flag, int, list, oneOf, text, type Values } from '@svc/protocol/schema';
import {
  brokerAddress,
  heartbeat,
  maxMessage,
  reconnectAttributes,
  serverUrl,
} from '../../../platform/net/server-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import {
  consumerAttributes,
  consumerRules,
  deadLetterAttributes,
  messageWords,
} from '../../intake/broker/consumer-spec.ts';
import { formOf, serverOf } from './address.ts';
import { checkCall, checkWord, parametersOf } from './publish/publishing.ts';
import { checkPattern, checkSubject, subjectOf } from './subjects.ts';

/** Names of streams, consumers and groups: what the server makes subjects of. */
const name = {
  source: '^[^\\s.*>/\\\\]+$',
  says: 'must be a name without blanks, dots, slashes and wildcards',
} as const;

const deadLetters = block({
  doc: 'What becomes of messages that keep failing. With it a message is given up after its last try: it is published to `subject`, with its headers, its last error and where it came from, and then acknowledged.',
  attributes: {
    ...deadLetterAttributes,
    subject: text('Subject for messages that were given up; `<stream>.dlq` when absent.', { example: '"dead.orders"' }),
  },
  unavailable: ['exchange', 'queue', 'routing_key'],
});

const consumer = block({
  doc: 'Where messages are taken from: a durable consumer of a stream, which delivers each message until it is acknowledged; or, with `queue`, the subjects that the flows name, each message to one member of the group and at most once.',
  attributes: {
    stream: text('Name of the stream.', { pattern: name }),
    durable: text('Name of the consumer. All processes with this name share its messages.', {
      pattern: name,
    }),
    queue: text('Name of a queue group, for subjects without a stream.', { pattern: name }),
    ...consumerAttributes('consumer'),
    prefetch: int(
      'Most messages that this service holds without having settled them; 10 of a stream, 1000 of subjects when absent. Of subjects, further ones are dropped and counted.',
      { min: 1, max: 65_535 },
    ),
    create_if_missing: flag(
      'Creates the consumer where it does not exist, and the stream too where `subjects` are written. What exists is left as it is.',
      { default: false },
    ),
    subjects: list('Subjects of the stream, where it is created.', text('A subject; wildcards are allowed.'), {}),
    filter_subject: text('Takes only messages of these subjects of the stream, where the consumer is created.', {}),
    start: oneOf(
      'Which messages of the stream a consumer that is created begins with: every one, those that come from now on, the last one, or the last one of each subject.',
      ['all', 'new', 'last', 'last_per_subject'],
    ),
    start_sequence: int('The same, by the sequence of the first message.', { min: 1 }),
    start_time: text('The same, by the time of the first message (RFC 3339).', {
      pattern: {
        source: '^\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?([Zz]|[+-]\\d{2}:\\d{2})$',
        says: 'must be a time such as 2026-01-31T08:00:00Z',
      },
    }),
    ack_wait: duration(
      'How long the server waits for an acknowledgement of a process that is gone before it delivers a message again, where the consumer is created. A flow may take longer: the server is notified that it is at work.',
      { default: 30_000, min: 500 },
    ),
    priority_group: text(
      'The priority group of the consumer (NATS 2.11 or later) that messages are asked for. A consumer with priority groups gives messages to them alone.',
      { pattern: { source: '^[A-Za-z0-9/_=-]{1,16}$', says: 'must be 1 to 16 letters, digits and -_/=' } },
    ),
    priority_policy: oneOf(
      'How a consumer that is created divides its messages: `overflow` gives some to those who ask where enough wait, `pinned_client` all to one client until it is gone, `prioritized` to those of the lowest `priority` first (2.12 or later).',
      ['overflow', 'pinned_client', 'prioritized'],
    ),
    priority: int('With the policy `prioritized`: 0 is given messages first, 9 last.', { min: 0, max: 9 }),
    min_pending: int('With the policy `overflow`: messages are given only while at least so many wait.', { min: 1 }),
    min_ack_pending: int(
      'With the policy `overflow`: messages are given only while at least so many are with others, unacknowledged. One of this and `min_pending` is enough where both are written.',
      { min: 1 },
    ),
    order_by: text(
      'Messages that must not overtake each other when `workers` is more than 1: those of one `subject`, or those of one value of a header, `header.<name>`. Others are handled at the same time.',
      {
        pattern: { source: '^(subject|header\\.[!-9;-~]+)$', says: 'must be subject or header.<name>' },
      },
    ),
  },
  blocks: { dlq: deadLetters },
  rules: [
    ...consumerRules,
    { rule: 'exactlyOneOf', names: ['stream', 'queue'] },
    { rule: 'together', name: 'stream', needs: ['durable'] },
    ...['durable', 'dlq', 'retry_count', 'create_if_missing', 'order_by', 'ack_wait', 'priority_group'].map(
      (written) => ({ rule: 'together', name: written, needs: ['stream'] }) as const,
    ),
    ...['priority_policy', 'priority', 'min_pending', 'min_ack_pending'].map(
      (written) => ({ rule: 'together', name: written, needs: ['priority_group'] }) as const,
    ),
    ...['subjects', 'filter_subject', 'start', 'start_sequence', 'start_time', 'priority_policy'].map(
      (written) => ({ rule: 'together', name: written, needs: ['create_if_missing'] }) as const,
    ),
    {
      rule: 'requiredWhen',
      name: 'priority_policy',
      when: 'create_if_missing',
      is: [true],
      beside: 'priority_group',
    },
    { rule: 'onlyWhen', name: 'priority', when: 'priority_policy', is: [undefined, 'prioritized'] },
    ...['min_pending', 'min_ack_pending'].map(
      (written) => ({ rule: 'onlyWhen', name: written, when: 'priority_policy', is: [undefined, 'overflow'] }) as const,
    ),
    { rule: 'atMostOneOf', names: ['start', 'start_sequence', 'start_time'] },
  ],
});

const publisher = block({
  doc: 'How messages are published.',
  attributes: {
    confirms: flag(
      'Whether a message counts as sent when a stream has stored it. Otherwise it does when the server has read it, and is heard by those who are subscribed at that moment.',
      { default: false },
    ),
    subject: text('Subject of messages that name none.', { example: '"orders.new"' }),
  },
});

/** `type = "mq"`, `driver = "nats"` (docs/specification/queues.md#nats). */
export const nats = connector({
  type: 'mq',
  driver: 'nats',
  canonical: 'nats',
  speaks: formOf,
  kind: 'queue',
  config: block({
    doc: 'Takes messages from subjects and JetStream consumers of a NATS server (2.9 or later), publishes to subjects and streams, and asks other programs over subjects. It is an addition of svc: its documents know no NATS. A message of a consumer is acknowledged after its flow; one whose flow failed is tried again after a pause that grows from 1 to 30 seconds. Without `stream`, the server keeps no message: one that comes while this service is not connected, or whose flow fails, is lost.',
    attributes: {
      url: serverUrl(
        ['nats', 'tls'],
        'Address of the server; its parts win over the attributes beside it. `tls://` speaks TLS. A user without a password is a token.',
        'nats://app:secret@broker:4222',
      ),
      servers: list(
        'Further servers of its cluster, `host:port`: one of all of them is connected to.',
        text('`host:port`.', {
          pattern: { source: '^(\\[[0-9A-Fa-f:.]+\\]|[^\\s:/@\\[\\]]+)(:[0-9]{1,5})?$', says: 'must be host:port' },
        }),
        { example: '["broker-2:4222", "broker-3:4222"]' },
      ),
      ...brokerAddress('4222', 'no user'),
      token: text('Token that signs in, instead of a user.', { secret: true }),
      nkey: text('Seed of the key that signs in, instead of a user.', { secret: true }),
      credentials: text('File with credentials (`.creds`) that sign in, instead of a user.', {
        namesFile: 'read',
        example: '"./app.creds"',
      }),
      connection_name: text('What the server calls the connection; the name of the connector when absent.'),
      timeout: duration('Longest wait for an answer of the server, and for one to a request.', {
        default: 5000,
        min: 1,
      }),
      connect_timeout: duration('Longest wait for a connection.', { default: 5000, min: 1 }),
      heartbeat: heartbeat(10_000),
      max_message: maxMessage(
        'Largest message with its headers, in both directions. A larger one that comes is passed over, and given up with its size in the log; the dead letters of a stream have it whole.',
        16_777_216,
        67_108_864,
      ),
      ...reconnectAttributes,
      ...everyConnector.attributes,
    },
    blocks: { consumer, publisher, tls: tlsBlock },
    rules: [
      { rule: 'atMostOneOf', names: ['username', 'token', 'nkey', 'credentials'] },
      { rule: 'together', name: 'password', needs: ['username'] },
    ],
    example: `connector "orders" {
  type   = "mq"
  driver = "nats"
  host   = "broker"
  consumer {
    stream            = "ORDERS"
    durable           = "billing"
    create_if_missing = true
    subjects          = ["orders.>"]
  }
}`,
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    redelivers: { whereWritten: [['consumer', 'stream']] },
    pulls: { whereWritten: [['consumer', 'stream']] },
    placement: { everyWorker: { whereWritten: [['consumer']] } },
    input: {
      body: 'The body: decoded JSON, else the text, else bytes where it is not UTF-8; decoded as `from.format` says when it is written.',
      subject: 'The subject.',
      headers: 'Headers by name; a header that is sent several times is a list.',
      stream: 'Of a stream: its name.',
      sequence: 'Of a stream: the sequence of the message there.',
      deliveries: 'Of a stream: how often it was delivered, with this time.',
      timestamp: 'Of a stream: when it was stored, Unix seconds.',
    },
    checkOperation: checkPattern,
  },
  target: {
    offers: ['PUBLISH', 'REQUEST'],
    abilities: ['write', 'call'],
    needsOneOf: [],
    checkOperation: checkWord,
    checkTarget: checkSubject,
    checkCall,
    parameters: parametersOf,
  },
  channels: {
    server: serverOf,
    taken: (operation) => subjectOf(operation),
    sent: (target, { publisher }) =>
      target === undefined ? (publisher as { readonly subject?: string } | undefined)?.subject : (target ?? undefined),
    payload: 'body',
  },
  words: { from: messageWords },
});

export type NatsConfig = Values<(typeof nats)['config']>;

export type ConsumerConfig = NonNullable<NatsConfig['consumer']>;
