import { block, connector, duration, int, size, text } from '@svc/protocol/schema';
import { serverTlsBlock } from '../../../platform/net/tls-spec.ts';
import { everyConnector } from '../../core/spec.ts';
import { messageAttributes } from '../words-spec.ts';

/** Why the name of a message is malformed. */
function checkType(operation: string): string | undefined {
  if (operation === '*' || /^[^*#\s]{1,256}$/.test(operation)) return undefined;
  if (operation.startsWith('{') && operation.length <= 1024) return patternProblem(operation);
  return `\`${operation}\` is not the type of a message: write the \`type\` that clients send, or \`*\` for all`;
}

function patternProblem(operation: string): string | undefined {
  try {
    JSON.parse(operation);
    return undefined;
  } catch {
    return `\`${operation}\` is not JSON: a pattern of NestJS is an object such as \`{"cmd":"sum"}\``;
  }
}

/** `type = "tcp"`, `driver = "server"`: clients send messages over connections that stay open, and each is answered. */
export const tcpServer = connector({
  type: 'tcp',
  driver: 'server',
  canonical: 'tcp',
  kind: 'api',
  config: block({
    doc: 'Takes messages over TCP and answers each. A client may send further messages before it has its answers: every message is answered when its flow has ended, by its `id`.',
    attributes: {
      host: text('Address of the interface to listen on; every interface when it is not written.', {
        example: '"127.0.0.1"',
      }),
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 9000, min: 0, max: 65_535 }),
      ...messageAttributes,
      max_connections: int('Most connections at a time; further ones are closed at once.', {
        default: 100,
        min: 1,
        max: 100_000,
      }),
      read_timeout: duration(
        'Longest time for a message: for its bytes, once it has begun to come, and for its flow; after it the client gets an error. A connection over which nothing comes stays open.',
        { default: 30_000, min: 1 },
      ),
      write_timeout: duration(
        'Longest time in which a client takes no byte of its answers; then its connection is ended.',
        { default: 30_000, min: 1 },
      ),
      max_waiting: int('Messages of one client that are handled or wait, before no more are read from it.', {
        default: 16,
        min: 1,
        max: 1000,
      }),
      max_backlog: size(
        'Messages of all clients together that are handled or wait, in bytes, before no more are read.',
        {
          default: 67_108_864,
          min: 1,
        },
      ),
      max_unsent: size(
        'Most bytes of answers that are held for a client that reads too slowly; then its connection is ended.',
        {
          default: 16 * 1024 * 1024,
          min: 1,
        },
      ),
      workers: int('Messages that are handled at the same time, of all clients together.', {
        default: 100,
        min: 1,
        max: 1000,
        aliases: ['concurrency'],
      }),
      ...everyConnector.attributes,
    },
    blocks: { tls: serverTlsBlock },
    example: 'connector "devices" {\n  type   = "tcp"\n  driver = "server"\n  port   = 9000\n}',
  }),
  source: {
    operation: 'required',
    style: 'stream',
    answers: { except: [] },
    placement: 'every-worker',
    coexists: false,
    listens: 'alone',
    names: 'arguments',
    input: {
      data: 'What the client sent, where it is not an object; the fields of an object are variables themselves.',
    },
    checkOperation: checkType,
  },
});
