import { block, connector, duration, int, oneOf, text } from '@svc/protocol/schema';
import type { TlsConfig } from '../../../platform/net/tls-spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { messageAttributes } from '../words-spec.ts';

/** Words for rows: with them `target` names the type of the message. */
export const rowWords: ReadonlySet<string> = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE']);

/** `type = "tcp"`, `driver = "client"`: asks a server of messages. */
export const tcpClient = connector({
  type: 'tcp',
  driver: 'client',
  canonical: 'tcp',
  speaks: ({ host, port, tls }) => {
    const isSecure = (tls as TlsConfig | undefined)?.enabled === true;
    const otherwise = isSecure ? 'remove the tls block' : 'write a tls block';
    return { host: host as string, port: port as number, tls: isSecure ? 'first' : 'never', otherwise };
  },
  kind: 'http',
  config: block({
    doc: 'Sends messages to a server over TCP and waits for their answers. Connections are kept and shared: each carries many messages at a time, and their answers are recognised by `id`.',
    attributes: {
      host: text('Host of the server.', { required: true, example: '"devices.internal"' }),
      port: int('Port of the server.', { required: true, min: 1, max: 65_535 }),
      ...messageAttributes,
      pool_size: int('Most connections at a time.', { default: 10, min: 1, max: 1000 }),
      max_waiting: int(
        'Most messages of one connection that wait for their answers; a further one waits for its turn.',
        {
          default: 100,
          min: 1,
          max: 10_000,
        },
      ),
      connect_timeout: duration('Longest time for a connection.', { default: 10_000, min: 1 }),
      read_timeout: duration('Longest wait for the answer to a message.', { default: 30_000, min: 1 }),
      write_timeout: duration('Longest time in which the server takes no byte of a message.', {
        default: 30_000,
        min: 1,
      }),
      idle_timeout: duration('A connection without messages is closed after this time.', { default: 300_000, min: 1 }),
      retry_count: int(
        'Further tries, over another connection, of a message that was not sent: one that may have reached the server is repeated by the flow alone.',
        { default: 3, min: 0, max: 100 },
      ),
      retry_delay: duration('Wait before each further try.', { default: 1_000, min: 0 }),
      ...everyConnector.attributes,
    },
    blocks: { tls: tlsBlock },
    example:
      'connector "devices" {\n  type   = "tcp"\n  driver = "client"\n  host   = "devices.internal"\n  port   = 9000\n}',
  }),
  target: {
    abilities: ['read', 'write', 'call'],
    needsOneOf: ['operation', 'target'],
  },
  words: {
    to: block({
      doc: 'How a message is sent.',
      attributes: {
        mode: oneOf(
          'Whether the flow waits for the answer of the server, or only until the message is sent.',
          ['request_response', 'fire_and_forget'],
          { default: 'request_response' },
        ),
      },
    }),
  },
});
