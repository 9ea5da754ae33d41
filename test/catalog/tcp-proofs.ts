import type { Proof } from './proof.ts';
import { tls } from './tls-proofs.ts';

const server = 'runtime/src/connectors/tcp/server/connector.test.ts';
const settings = 'runtime/src/connectors/tcp/server/settings.test.ts';
const client = 'runtime/src/connectors/tcp/client/connector.test.ts';
const nest = 'runtime/src/connectors/tcp/nestjs.test.ts';
const certificates: Proof = [
  settings,
  'S-87: `tls`: the certificate of the server, and those that clients must have; who that is, is `auth`',
];
const taken: Proof = [server, 'an address that is taken is said to be'];

export const tcpServer: Readonly<Record<string, Proof>> = {
  host: taken,
  port: taken,
  protocol: [nest, 'a client of NestJS asks flows: patterns, texts beyond ASCII, events, and what failed'],
  max_message: [settings, '`max_message`: a larger one ends its connection, and a larger answer is an error'],
  max_connections: [server, 'max_connections: one more is closed at once, until another is gone'],
  read_timeout: [
    server,
    'read_timeout: a flow that takes longer is answered for and ended; the next message is handled',
  ],
  write_timeout: [server, 'A-05: a client that takes no answers is read no more, and cut off; others are served'],
  max_waiting: [server, 'max_waiting: so many messages of a client are under way, and the others wait in its socket'],
  max_backlog: [settings, 'A-05: `max_backlog`: no more is read of any client while so much waits'],
  max_unsent: [settings, 'A-05: `max_unsent`: a client that does not read is cut off when so much waits for it'],
  workers: [settings, '`workers` messages are handled at a time, of all clients together'],
  'tls.enabled': certificates,
  'tls.cert': certificates,
  'tls.key': certificates,
  'tls.ca_cert': certificates,
};

const asked: Proof = [
  nest,
  'flows ask a server of NestJS: patterns, texts beyond ASCII, values of every kind, and what failed',
];
const shared: Proof = [
  client,
  'pool_size and max_waiting: so many connections, so many messages over each; the others wait',
];
const repeated: Proof = [
  client,
  'retry_count and retry_delay: what was not sent is tried again, what may have come is not',
];

export const tcpClient: Readonly<Record<string, Proof>> = {
  ...tls,
  host: asked,
  port: asked,
  protocol: asked,
  max_message: [client, 'max_message: a message or an answer that is larger is refused'],
  pool_size: shared,
  max_waiting: shared,
  connect_timeout: [client, 'connect_timeout: a handshake that is not answered is given up'],
  read_timeout: [
    client,
    'A-04: read_timeout and the timeout of a call end the wait for an answer; the connection stays',
  ],
  write_timeout: [client, 'A-05: write_timeout: a server that takes nothing is given up'],
  idle_timeout: [client, 'idle_timeout: a connection without messages is closed, and the next message has another'],
  retry_count: repeated,
  retry_delay: repeated,
  'to.mode': [client, 'mode: fire_and_forget sends and waits for nothing'],
};
