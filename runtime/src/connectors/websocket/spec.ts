import { block, connector, duration, int, list, size, text } from '@svc/protocol/schema';
import { origins } from '../../platform/http/admission/cors-spec.ts';
import { PushOperations } from '../../platform/http/live/addressee.ts';
import { pushWords } from '../../platform/http/live/filter-spec.ts';
import { liveStorage } from '../../platform/http/live/storage-spec.ts';
import { hostAttribute } from '../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../platform/identity/auth-spec.ts';
import { hostAndPort } from '../../platform/net/server-url.ts';
import { everyConnector } from '../core/spec.ts';

/** By which words destinations say whom they send to. */
export const pushes = new PushOperations('room:');

const cors = block({
  doc: 'Which pages may connect. Without it: pages of this machine (localhost) outside production, none in production. Clients other than pages send no Origin and are not asked for one.',
  attributes: { origins },
  example: 'cors {\n  origins = ["https://app.example.com"]\n}',
});

/** Why the name of an event is malformed. */
export function checkEvent(operation: string): string | undefined {
  if (operation === '*') return undefined;
  if (operation === 'leave_room') return '`leave_room` needs no flow: every client may leave';
  if (/^[^*#\s]{1,256}$/.test(operation)) return undefined;
  return `\`${operation}\` is not the name of an event: write \`connect\`, \`message\`, \`disconnect\`, the type that clients send, or \`*\` for all`;
}

/** `type = "websocket"`: clients that stay connected. */
export const websocket = connector({
  type: 'websocket',
  driver: 'server',
  defaultDriver: true,
  canonical: 'websocket',
  kind: 'api',
  config: block({
    doc: 'Keeps clients connected over WebSocket: what they send starts flows, and flows send to all of them, to those in a room, or to those of one user. Frames are JSON, `{type, data, room}`. It may share host and port with a `rest` connector.',
    attributes: {
      host: hostAttribute,
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 3001, min: 0, max: 65_535 }),
      path: text('Path at which clients connect.', {
        default: '/ws',
        pattern: { source: '^/[A-Za-z0-9._~/-]*$', says: 'must be a path of plain text, such as `/ws`' },
      }),
      ping_interval: duration('How often a client is asked whether it is there.', { default: 30_000, min: 1 }),
      pong_timeout: duration('How long it may take to answer that; then its connection is ended.', {
        default: 10_000,
        min: 1,
      }),
      max_clients: int('Most clients at a time; further ones get 503.', { default: 10_000, min: 1, max: 1_000_000 }),
      max_clients_per_user: int(
        'Most connections of one caller at a time; further ones get 429. Callers without credentials are not counted.',
        { default: 100, min: 1, max: 1_000_000 },
      ),
      max_messages_per_second: int(
        'Most messages of one caller in a second, over all of its connections; one that sends more is disconnected with 1008. Of callers without credentials each connection counts by itself.',
        { default: 1000, min: 1, max: 1_000_000 },
      ),
      max_bytes_per_second: size('The same for the bytes of its messages.', { default: 67_108_864, min: 1 }),
      protocols: list(
        'Sub-protocols that are spoken, the preferred first: the first one that a client offers is chosen. What frames mean does not depend on it. Default: `svc` alone, for pages that send their token beside it.',
        text('Name of a sub-protocol.', {
          pattern: { source: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$", says: 'must be one word, as HTTP knows it' },
        }),
        { default: [], example: '["chat.v2", "chat.v1"]' },
      ),
      max_message: size('Largest message of a client; a larger one ends its connection with 1009.', {
        default: 524_288,
        min: 1,
        max: 16_777_216,
      }),
      max_waiting: int('Messages of one client that wait for their turn before no more are read from it.', {
        default: 16,
        min: 1,
        max: 1000,
      }),
      max_backlog: size('Waiting messages of all clients together, in bytes, before no more are read.', {
        default: 67_108_864,
        min: 1,
      }),
      max_unsent: size(
        'Most bytes that are held for a client that reads too slowly; then its connection is ended with 1013.',
        { default: 1_048_576, min: 1 },
      ),
      workers: int('Messages of different clients that are handled at the same time; those of one client never are.', {
        default: 100,
        min: 1,
        max: 1000,
        aliases: ['concurrency'],
      }),
      ...everyConnector.attributes,
    },
    blocks: { cors, storage: liveStorage, auth: connectorAuth },
    example: 'connector "live" {\n  type = "websocket"\n  port = 3000\n  path = "/ws"\n}',
  }),
  source: {
    operation: 'optional',
    style: 'stream',
    answers: { except: ['connect', 'disconnect', 'join_room', 'leave_room'] },
    placement: 'every-worker',
    listens: 'http',
    serves: ({ path }, operation) => (operation === undefined ? [`UPGRADE ${path ?? '/ws'}`] : []),
    input: {
      event: 'What happened: `connect`, `message`, `binary`, `disconnect`, or the type that the client sent.',
      user_id: 'Whom the credentials of the connection name; absent for everybody else.',
      data: 'What the client sent; with `message`, the fields of an object are beside it instead. With `binary`: the bytes of its frame.',
      room: 'The room that the client named; empty when it named none. Not with `message`.',
      remote_addr: 'Address and port of the client, with `connect`; the address alone, where a trusted proxy names it.',
      protocol: 'The sub-protocol that was chosen, with `connect`; absent without one.',
    },
    offers: ['connect', 'message', 'binary', 'disconnect', 'join_room'],
    checkOperation: checkEvent,
  },
  target: {
    abilities: ['write'],
    needsOneOf: [],
    offers: pushes.all,
    checkOperation: pushes.check,
  },
  words: { to: pushWords },
  channels: {
    server: ({ host, port }) => ({ host: hostAndPort(String(host ?? 'localhost'), Number(port)), protocol: 'ws' }),
    taken: (_operation, { path }) => String(path),
    sent: (_target, { path }) => String(path),
    payload: 'data',
  },
});
