import { block, connector, duration, flag, int, oneOf, text } from '@svc/protocol/schema';
import { messageWords, prefetch, workers } from '../../intake/consumer-spec.ts';
import { heartbeat, maxMessage, signIn } from '../../net/server-spec.ts';
import { tlsBlock } from '../../net/tls-spec.ts';
import { everyConnector } from '../spec.ts';
import { checkFilter } from './topics.ts';

/** `type = "mqtt"`: a subscriber of an MQTT broker. */
export const mqtt = connector({
  type: 'mqtt',
  kind: 'queue',
  config: block({
    doc: 'Takes messages from the topics that its flows name in `operation`; a flow without one takes every topic. With a quality of service of 1 or 2 a message is acknowledged after its flows, and one that was not is delivered again when the client connects again, where `clean_session = false` says that the broker keeps the session. A message that matches the topics of several flows goes to each of them. With several workers one of them connects.',
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
      ...signIn(),
      qos: int('Quality of service of the subscriptions: 0 at most once, 1 and 2 at least once towards the flows.', {
        default: 0,
        min: 0,
        max: 2,
      }),
      protocol_version: oneOf('Version of the protocol.', ['3.1.1', '5'], { default: '3.1.1' }),
      clean_session: flag(
        'Whether the broker forgets this client when it disconnects. False: it keeps subscriptions and messages meanwhile.',
        { default: true },
      ),
      prefetch: prefetch(
        20,
        'Most messages that are held without being acknowledged; with version 5 the broker is notified of it, with 3.1.1 its own limit holds.',
      ),
      workers: workers(10),
      max_message: maxMessage(
        'Largest message, with its topic. A larger one ends the connection; with version 5 the broker is notified of it and keeps it back.',
        16_777_216,
        268_435_455,
      ),
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
    blocks: { tls: tlsBlock },
    unavailable: ['topic'],
    example: `connector "sensors" {
  type          = "mqtt"
  broker        = "tcp://broker:1883"
  qos           = 1
  clean_session = false
}`,
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    redelivers: { where: { qos: [1, 2], clean_session: [false] } },
    placement: 'one-worker',
    coexists: false,
    input: {
      _topic: 'The topic.',
      _message_id: 'The packet identifier; 0 with quality of service 0.',
      _qos: 'The quality of service with which the message came.',
      _retained: 'Whether the broker had kept the message.',
      _raw: 'The payload when it is not a JSON object: text, or bytes where it is not UTF-8.',
    },
    checkOperation: checkFilter,
  },
  words: { from: messageWords },
});
