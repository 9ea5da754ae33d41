import { block, connector, duration, flag, int, oneOf, text, type Values } from '@svc/protocol/schema';
import { heartbeat, maxMessage, signIn } from '../../platform/net/server-spec.ts';
import { tlsBlock } from '../../platform/net/tls-spec.ts';
import { everyConnector } from '../core/spec.ts';
import { messageWords, prefetch, workers } from '../intake/broker/consumer-spec.ts';
import { clientOf, formOf, serverOf } from './address.ts';
import { unfitInForms } from './characters.ts';
import { publishParameters } from './parameters.ts';
import { checkCall, checkPublish } from './publish/call.ts';
import { oneTopic, publishPlaces, will } from './publish/spec.ts';
import { addressedTopics, checkFilter, checkTopic, topicParameters } from './topics.ts';

/** Messages under way that Mosquitto takes by default (`max_inflight_messages`). */
const mosquittoWindow = 20;

/** `type = "mqtt"`: a client of an MQTT broker, which subscribes and publishes. */
export const mqtt = connector({
  type: 'mqtt',
  kind: 'queue',
  speaks: formOf,
  config: block({
    doc: 'Takes messages from the topics that its flows name in `operation`; a flow without one takes every topic. With a quality of service of 1 or 2 a message is acknowledged after its flows, and one that was not is delivered again when the client connects again, where `clean_session = false` says that the broker keeps the session. A message that matches the topics of several flows goes to each of them. A message is published to the topic `target`, as JSON or what `format` says; `params` are `qos` and `retain`, and with version 5 `headers` (user properties), `expiration`, `response_topic` and `correlation_data`. What has the one field `_raw` is sent as that text or those bytes. The answer is `{topic, qos, retain}`, once the broker has acknowledged the message. With several workers one of them subscribes, and each publishes over a connection of its own.',
    attributes: {
      broker: text(
        'Address of the broker: `tcp://` or `mqtt://`, with TLS `ssl://` or `mqtts://`, over WebSocket `ws://` or `wss://`. With a `tls` block TLS is spoken whatever its scheme is. A user in it wins over `username`.',
        {
          default: 'tcp://localhost:1883',
          secret: true,
          pattern: {
            source: '^(tcp|ssl|tls|mqtts?|wss?)://',
            says: 'must begin with tcp://, ssl://, mqtt://, mqtts://, ws:// or wss://',
          },
          example: '"tcp://broker:1883"',
        },
      ),
      client_id: text(
        'What this client is called; the name of the connector when absent. A broker ends the connection of one client when another one comes with its id, so that each service needs its own.',
      ),
      publisher_id: text(
        'What the connection is called that publishes; when absent, `client_id` with a random part, so that any number of processes may publish.',
      ),
      ...signIn(),
      qos: int(
        'Quality of service of the subscriptions, and of messages that are published without another one: 0 at most once, 1 and 2 at least once towards the flows.',
        { default: 0, min: 0, max: 2 },
      ),
      topic: text('Topic of messages that are published without a `target`.', {
        pattern: oneTopic,
        example: '"readings"',
      }),
      share_group: text(
        'Shares the subscriptions with the other clients of this group: the broker hands each message to one of them. Each needs its own `client_id`.',
        {
          pattern: {
            source: `^[^/+#${unfitInForms}]+$`,
            says: 'must be a name without /, +, # and control characters',
          },
          example: '"readers"',
        },
      ),
      retained: flag(
        'Whether messages are taken that the broker had kept. They come with each subscription; with version 5 and a kept session only with the first one.',
        { default: true },
      ),
      protocol_version: oneOf('Version of the protocol.', ['3.1.1', '5'], { default: '3.1.1' }),
      clean_session: flag(
        'Whether the broker forgets this client when it disconnects. False: it keeps subscriptions and messages meanwhile.',
        { default: true },
      ),
      session_expiry: duration(
        'How long the broker keeps the session of this client while it is not connected (version 5); as long as it can when absent.',
        { min: 1000, max: 4_294_967_294_000 },
      ),
      prefetch: prefetch(
        20,
        'Most messages that are with flows or wait for them, whatever the broker sends: further ones wait unread and unacknowledged. With version 5 the broker is notified of it (Mosquitto sends up to two more), with 3.1.1 it sends as many as its own limit says.',
      ),
      workers: workers(10),
      max_message: maxMessage(
        'Largest message, with its topic. A larger one that the broker sends is passed over as it comes, and given up with its size in the log; with version 5 the broker is notified of the limit and keeps it back. A larger one is not published.',
        16_777_216,
        268_435_455,
      ),
      max_in_flight: int(
        'Published messages whose acknowledgement is awaited at a time; with version 5 at most as many as the broker says that it takes. Further ones wait. A broker of version 3.1.1 does not say how many it takes: Mosquitto takes 20 unless `max_inflight_messages` says otherwise, acknowledges further ones of quality of service 2 and loses them.',
        { default: mosquittoWindow, min: 1, max: 65_535 },
      ),
      topic_alias_maximum: int(
        'Most topics for which the broker may send a number instead of their name (version 5). When it is written, messages are published in the same way, for as many topics as the broker takes: a message of a topic that was published to before is shorter.',
        { min: 1, max: 65_535 },
      ),
      publish_timeout: duration('Longest time for publishing one message, waiting included.', {
        default: 30_000,
        min: 1,
      }),
      keep_alive: heartbeat(30_000),
      connect_timeout: duration('Longest wait for a connection.', { default: 10_000, min: 1 }),
      auto_reconnect: flag('Whether a lost connection is made again.', { default: true }),
      max_reconnect_interval: duration(
        'Longest wait between two attempts to connect again; it grows from one second.',
        {
          default: 300_000,
          min: 1,
        },
      ),
      ...everyConnector.attributes,
    },
    blocks: { tls: tlsBlock, will },
    rules: [
      { rule: 'onlyWhen', name: 'session_expiry', when: 'protocol_version', is: ['5'] },
      { rule: 'onlyWhen', name: 'session_expiry', when: 'clean_session', is: [false] },
      { rule: 'onlyWhen', name: 'topic_alias_maximum', when: 'protocol_version', is: ['5'] },
      { rule: 'onlyWhen', name: 'delay', within: 'will', when: 'protocol_version', is: ['5'] },
      { rule: 'onlyWhen', name: 'delay', within: 'will', when: 'clean_session', is: [false] },
      { rule: 'onlyWhen', name: 'expiration', within: 'will', when: 'protocol_version', is: ['5'] },
    ],
    example: `connector "sensors" {
  type          = "mqtt"
  broker        = "tcp://broker:1883"
  qos           = 1
  clean_session = false
}`,
  }),
  advise: ({ protocol_version, qos, max_in_flight, session_expiry, will: lastWill }) => {
    const { delay } = (lastWill ?? {}) as { readonly delay?: number };
    if (delay !== undefined && session_expiry !== undefined && delay > Number(session_expiry))
      return {
        attribute: 'session_expiry',
        says: `the session ends after ${Number(session_expiry) / 1000} s, and the last will is published then: will.delay is ${delay / 1000} s`,
        help: 'Write a session_expiry that is at least as long as will.delay.',
      };
    return protocol_version === '3.1.1' && qos === 2 && Number(max_in_flight) > mosquittoWindow
      ? {
          attribute: 'max_in_flight',
          says: `messages of quality of service 2 can be lost: Mosquitto acknowledges those beyond ${mosquittoWindow} under way and drops them, and with version 3.1.1 a broker does not say how many it takes`,
          help: `Write protocol_version = "5", or at most ${mosquittoWindow}, unless max_inflight_messages of the broker is larger.`,
        }
      : undefined;
  },
  source: {
    operation: 'optional',
    style: 'stream',
    redelivers: { where: { qos: [1, 2], clean_session: [false] } },
    placement: 'one-worker',
    coexists: false,
    member: clientOf,
    input: {
      _topic: 'The topic.',
      _message_id: 'The packet identifier; 0 with quality of service 0.',
      _qos: 'The quality of service with which the message came.',
      _retained: 'Whether the broker had kept the message.',
      _headers: 'User properties by name (version 5); a list where a name comes several times.',
      _content_type: 'What the sender calls the format of the payload (version 5).',
      _response_topic: 'Where the sender expects an answer (version 5).',
      _correlation_data: 'What the sender recognises the answer by, bytes (version 5).',
      _raw: 'The payload when it is not a JSON object: text, or bytes where it is not UTF-8.',
    },
    parameters: topicParameters,
    checkOperation: checkFilter,
  },
  target: {
    abilities: ['write'],
    needsOneOf: [],
    offers: ['PUBLISH'],
    checkOperation: checkPublish,
    checkTarget: checkTopic,
    checkCall,
    defaultTarget: 'topic',
    parameters: () => publishParameters,
  },
  channels: { server: serverOf, taken: addressedTopics },
  words: { from: messageWords, ...publishPlaces },
});

export type MqttConfig = Values<(typeof mqtt)['config']>;
