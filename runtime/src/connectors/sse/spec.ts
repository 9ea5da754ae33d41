import { block, connector, duration, flag, int, lifetime, size, text } from '@svc/protocol/schema';
import { origins } from '../../platform/http/admission/cors-spec.ts';
import { PushOperations } from '../../platform/http/live/addressee.ts';
import { pushWords } from '../../platform/http/live/filter-spec.ts';
import { liveStorage } from '../../platform/http/live/storage-spec.ts';
import { hostAttribute } from '../../platform/http/sockets/server-spec.ts';
import { connectorAuth } from '../../platform/identity/auth-spec.ts';
import { hostAndPort } from '../../platform/net/server-url.ts';
import { everyConnector } from '../core/spec.ts';

/** By which words destinations say whom they send to. */
export const pushes = new PushOperations('stream:');

const cors = block({
  doc: 'Which pages of other origins may open a stream. Without it: pages of this machine (localhost) outside production, none in production. Clients other than pages send no Origin and are not asked for one.',
  attributes: {
    origins,
    allow_credentials: flag('Let those pages send cookies and credentials; refused together with the origin `*`.', {
      default: false,
    }),
  },
  example: 'cors {\n  origins = ["https://app.example.com"]\n}',
});

const replay = block({
  doc: 'What is kept of what was sent, for clients that come again after a moment and say by `Last-Event-ID` what they got last. One that missed more gets an event of the type `gap` first.',
  attributes: {
    events: int('Most events; 0 keeps nothing.', { default: 1000, min: 0, max: 1_000_000 }),
    size: size('Most memory for them.', { default: 16_777_216, min: 1 }),
    age: lifetime('How long an event is kept.', { default: 300_000, min: 1 }),
  },
  example: 'replay {\n  events = 10000\n  age    = "1h"\n}',
});

/** What holds without a `replay` block. */
export const usualReplay = { events: 1000, size: 16_777_216, age: 300_000 } as const;

/** `type = "sse"`: streams of events. */
export const sse = connector({
  type: 'sse',
  driver: 'server',
  defaultDriver: true,
  canonical: 'sse',
  kind: 'api',
  config: block({
    doc: 'Streams events to clients over HTTP (server-sent events): to all of them, to those in a room, or to those of one user. A client names its rooms when it connects, by `?room=a`, `?rooms=a,b` or the path `<path>/<room>`. It may share host and port with a `rest` connector.',
    attributes: {
      host: hostAttribute,
      port: int('Port to listen on; 0 lets the system choose a free one.', { default: 3002, min: 0, max: 65_535 }),
      path: text('Path at which clients connect.', {
        default: '/events',
        pattern: { source: '^/[A-Za-z0-9._~/-]*$', says: 'must be a path of plain text, such as `/events`' },
      }),
      heartbeat_interval: duration(
        'How often every stream carries a comment, so that nothing between takes it for idle; 0: never.',
        {
          default: 30_000,
          min: 0,
        },
      ),
      retry: duration(
        'How long a client waits before it connects again. When the service stops, each of them waits up to twice as long.',
        {
          default: 1000,
          min: 1,
          max: 3_600_000,
        },
      ),
      max_clients: int('Most clients at a time; further ones get 503.', { default: 10_000, min: 1, max: 1_000_000 }),
      max_clients_per_user: int(
        'Most streams of one caller at a time; further ones get 429. Callers without credentials are not counted.',
        {
          default: 100,
          min: 1,
          max: 1_000_000,
        },
      ),
      max_unsent: size('Most bytes that are held for a client that reads too slowly; then its stream is ended.', {
        default: 1_048_576,
        min: 1,
      }),
      workers: int(
        'Events of different clients (`connect`, `disconnect`, `join_room`) that are handled at the same time; those of one client never are.',
        {
          default: 100,
          min: 1,
          max: 1000,
          aliases: ['concurrency'],
        },
      ),
      ...everyConnector.attributes,
    },
    blocks: { cors, replay, storage: liveStorage, auth: connectorAuth },
    example: 'connector "feed" {\n  type = "sse"\n  port = 3002\n  path = "/events"\n}',
  }),
  source: {
    operation: 'required',
    style: 'stream',
    answers: ['join_room'],
    placement: 'every-worker',
    listens: 'http',
    serves: ({ path }, operation) =>
      operation === undefined ? [`GET ${path ?? '/events'}`, `GET ${roomPath(String(path ?? '/events'))}`] : [],
    input: {
      event: 'What happened: `connect`, `disconnect` or `join_room`.',
      client_id: 'The stream; different for each of one process.',
      user_id: 'Whom the credentials of the request name; absent for everybody else.',
      remote_addr: 'Address and port of the client, with `connect`; the address alone, where a trusted proxy names it.',
      room: 'The room that a client wants to be in, with `join_room`.',
    },
    offers: ['connect', 'disconnect', 'join_room'],
    checkOperation: (operation) =>
      ['connect', 'disconnect', 'join_room'].includes(operation)
        ? undefined
        : `\`${operation}\` is not an event of streams: write \`connect\`, \`disconnect\` or \`join_room\``,
  },
  target: {
    abilities: ['write'],
    needsOneOf: [],
    offers: pushes.all,
    checkOperation: pushes.check,
  },
  words: { to: pushWords },
  channels: {
    server: ({ host, port }) => ({ host: hostAndPort(String(host ?? 'localhost'), Number(port)), protocol: 'http' }),
    taken: (_operation, { path }) => String(path),
    sent: (_target, { path }) => String(path),
  },
});

/** The path at which clients of one room connect. */
export function roomPath(path: string): string {
  return `${path.replace(/\/$/, '')}/:room`;
}
