import type { Proof } from './proof.ts';

const channel = 'runtime/src/platform/http/live/redis-channel.test.ts';
const found: Proof = [channel, 'is the server at host and port, with its password'];
const named: Proof = [channel, 'is the database and the key that are written, and those of no other'];
/** What processes share, of both. */
const storage: Readonly<Record<string, Proof>> = {
  'storage.driver': [channel, 'is this process alone without a store, and with `memory`'],
  'storage.url': [
    'runtime/src/connectors/sse/replicas.test.ts',
    'a server that is not there is the reason why nothing is opened, and its password is nowhere',
  ],
  'storage.host': found,
  'storage.port': found,
  'storage.password': found,
  'storage.db': named,
  'storage.key': named,
};

const clientSettings = 'runtime/src/connectors/websocket/settings.test.ts';
const clientPeers = 'runtime/src/connectors/websocket/peers.test.ts';
const clientLimits = 'runtime/src/connectors/websocket/limits.test.ts';
const rate: Proof = [
  clientLimits,
  'S-68: so much in a second over all connections (%s); beyond it the connection ends, and is counted',
];
const waiting: Proof = [clientSettings, 'is how much waits for its turn before no more is read: %s'];

/** What the servers of WebSocket clients read with code of their own. */
export const websocket: Readonly<Record<string, Proof>> = {
  path: [clientSettings, 'is the path at which they connect'],
  ping_interval: [
    clientPeers,
    'an idle client is not cut before its first ping, though the pong has less time than the interval',
  ],
  pong_timeout: [
    clientPeers,
    'A-04: a client that does not answer a ping is dead; one that answers stays, however idle',
  ],
  max_clients: [clientPeers, 'further clients than allowed get 503, and a place is free when one has left'],
  max_message: [clientPeers, 'A-04: %s'],
  max_waiting: waiting,
  max_backlog: waiting,
  max_unsent: [
    clientPeers,
    'A-05: a client that never reads is disconnected when too much waits for it, and counted; others are served',
  ],
  workers: [
    'runtime/src/connectors/websocket/source.test.ts',
    'A-03: as many hung flows as workers hold the others back, and the service continues when they end',
  ],
  max_clients_per_user: [
    clientLimits,
    'S-68: so many connections at a time, until one of them is gone; others are not counted with it',
  ],
  max_messages_per_second: rate,
  max_bytes_per_second: rate,
  protocols: [clientLimits, 'of %j offered the preferred one is chosen: %j'],
  ...storage,
  'to.filter': [clientLimits, 'is asked for each client in its turn, in the order of what is sent'],
  'cors.origins': [clientPeers, 'S-68: a page of %s, origins %j, production %s: connects %s'],
};

const streamSettings = 'runtime/src/connectors/sse/settings.test.ts';
const streams = 'runtime/src/connectors/sse/stream.test.ts';
const streamPeers = 'runtime/src/connectors/sse/peers.test.ts';
const replay = 'runtime/src/connectors/sse/replay.test.ts';
const bounded: Proof = [
  streamPeers,
  'there are so many clients at a time, and so many streams of one caller, until they are gone',
];
const dropped: Proof = [replay, 'is said to be incomplete when it was %s'];

/** What the servers of streams of events read with code of their own. */
export const sse: Readonly<Record<string, Proof>> = {
  path: [streamSettings, 'is the path at which clients connect, and below it those of a room'],
  heartbeat_interval: [streams, 'every stream carries a comment in each interval, and none when that is 0'],
  retry: [streamSettings, 'is how long clients wait before they come again'],
  max_clients: bounded,
  max_clients_per_user: bounded,
  max_unsent: [
    streamPeers,
    'A-05: one that never reads is cut off when too much waits for it, and counted; others are served',
  ],
  workers: [streamSettings, 'is how many flows run at a time of those that are asked for streams'],
  'cors.origins': [
    streamPeers,
    'S-68: a page of an origin that is not listed opens no stream, whatever its cookies are',
  ],
  'cors.allow_credentials': [streamSettings, 'is whether pages of other origins may send their cookies: %s'],
  'replay.events': dropped,
  'replay.size': dropped,
  'replay.age': [replay, 'is kept for its time'],
  ...storage,
  'to.filter': [streams, 'a filter is asked for each client, and one that fails is no'],
};
