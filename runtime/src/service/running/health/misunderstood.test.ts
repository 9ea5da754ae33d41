import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import type { ConnectorSpec } from '@svc/protocol/schema';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { kvCache } from '../../../connectors/cache/kv/spec.ts';
import { mongodb } from '../../../connectors/database/mongodb/spec.ts';
import { mysql } from '../../../connectors/database/mysql/spec.ts';
import { postgres } from '../../../connectors/database/postgres/spec.ts';
import { ftp } from '../../../connectors/files/ftp/spec.ts';
import { objectStoreConnector } from '../../../connectors/files/object-store/spec.ts';
import { graphqlClient } from '../../../connectors/graphql/client/spec.ts';
import { http } from '../../../connectors/http/spec.ts';
import { amqp } from '../../../connectors/mq/amqp/spec.ts';
import { partitionedLog } from '../../../connectors/mq/log/spec.ts';
import { nats } from '../../../connectors/mq/nats/spec.ts';
import { pubsub } from '../../../connectors/mq/pubsub/spec.ts';
import { mqtt } from '../../../connectors/mqtt/spec.ts';
import { smtp } from '../../../connectors/notify/email/smtp/spec.ts';
import { search } from '../../../connectors/search/spec.ts';
import { soapClient } from '../../../connectors/soap/client/spec.ts';
import { tcpClient } from '../../../connectors/tcp/client/spec.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { misunderstood } from './misunderstood.ts';
import { unreachable } from './reach.ts';

/** Greets in clear, answers nothing, ends what it is asked. */
const greeting = createServer((socket) => socket.on('error', () => undefined).end('220 ready\r\n'));
const silent = createServer((socket) => socket.on('error', () => undefined));
const ending = createServer((socket) => socket.on('error', () => undefined).once('data', () => socket.destroy()));
let secure: ReturnType<typeof createTlsServer>;

beforeAll(async () => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], { keySize: 2048 });
  secure = createTlsServer({ cert, key }).on('tlsClientError', () => undefined);
  for (const server of [greeting, silent, ending, secure])
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  for (const server of [greeting, silent, ending, secure]) server.close();
});

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port;

/** What is said of a connector that could not be opened. */
async function saidOf(spec: ConnectorSpec, written: object, message = 'no answer', code = 'connector_refused') {
  const found = unreachable('x', spec.type, new Failure(code as 'connector_refused', message), undefined);
  const values = configured(spec.config, { ...written });
  const { reason, obstacle } = await misunderstood(found, { spec, values } as never);
  return [obstacle, reason];
}

type Row = readonly [name: string, spec: ConnectorSpec, written: (at: string, port: number) => object, says: string];

const inClear: readonly Row[] = [
  ['cache', kvCache, (at) => ({ url: `redis://${at}` }), 'write rediss:// in url, or a tls block'],
  ['pubsub', pubsub, (at) => ({ url: `redis://${at}` }), 'write rediss:// in url, or a tls block'],
  ['amqp', amqp, (at) => ({ url: `amqp://${at}` }), 'write amqps:// in url, or a tls block'],
  ['nats', nats, (at) => ({ url: `nats://${at}` }), 'turn handshake_first of the server off'],
  ['mqtt', mqtt, (at) => ({ broker: `tcp://${at}` }), 'write ssl:// in broker, or a tls block'],
  ['mqtt, ws', mqtt, (at) => ({ broker: `ws://${at}/mqtt` }), 'write wss:// in broker, or a tls block'],
  ['log', partitionedLog, (at) => ({ brokers: [at] }), 'write a tls block'],
  ['mongodb', mongodb, (at) => ({ uri: `mongodb://a:b@${at}/?replicaSet=x`, database: 'd' }), 'write a tls block'],
  [
    'postgres',
    postgres,
    (at) => ({ url: `postgres://a:b@${at}/d` }),
    'TLS is begun within the connection here: write the port of the database itself',
  ],
  [
    'mysql',
    mysql,
    (_, port) => ({ host: '127.0.0.1', port, database: 'd', ssl_mode: 'require' }),
    'TLS is begun within the connection here: write the port of the database itself',
  ],
  ['http', http, (at) => ({ base_url: `http://${at}` }), 'write https:// in base_url'],
  ['graphql', graphqlClient, (at) => ({ endpoint: `http://${at}/` }), 'write https:// in endpoint'],
  ['soap', soapClient, (at) => ({ endpoint: `http://${at}/` }), 'write https:// in endpoint'],
  ['search', search, (at) => ({ url: `http://${at}`, index: 'i' }), 'write https:// in url'],
  [
    'objects',
    objectStoreConnector,
    (at) => ({ endpoint: `http://${at}`, bucket: 'box' }),
    'write https:// in endpoint',
  ],
  ['smtp', smtp, (_, port) => ({ host: '127.0.0.1', port }), 'write tls = "tls"'],
  ['smtp, none', smtp, (_, port) => ({ host: '127.0.0.1', port, tls: { mode: 'none' } }), 'write tls = "tls"'],
  [
    'ftp',
    ftp,
    (_, port) => ({ host: '127.0.0.1', port }),
    'implicit TLS is not spoken here: write the port of FTP with AUTH TLS, mostly 21, and tls = true',
  ],
  ['tcp', tcpClient, (_, port) => ({ host: '127.0.0.1', port }), 'write a tls block'],
];

const withTls: readonly Row[] = [
  ['cache', kvCache, (at) => ({ url: `rediss://${at}` }), 'write redis:// in url, without a tls block'],
  ['pubsub', pubsub, (at) => ({ url: `redis://${at}`, tls: {} }), 'write redis:// in url, without a tls block'],
  ['amqp', amqp, (at) => ({ url: `amqps://${at}` }), 'write amqp:// in url, without a tls block'],
  ['mqtt', mqtt, (at) => ({ broker: `ssl://${at}` }), 'write tcp:// in broker, without a tls block'],
  ['log', partitionedLog, (at) => ({ brokers: [at], tls: {} }), 'remove the tls block'],
  ['mongodb', mongodb, (at) => ({ uri: `mongodb://${at}/?tls=true` }), 'write no tls block, and no tls=true in uri'],
  ['http', http, (at) => ({ base_url: `https://${at}` }), 'write http:// in base_url'],
  ['smtp', smtp, (_, port) => ({ host: '127.0.0.1', port, tls: { mode: 'tls' } }), 'write tls = "starttls"'],
  ['tcp', tcpClient, (_, port) => ({ host: '127.0.0.1', port, tls: {} }), 'remove the tls block'],
];

describe('a server that speaks TLS from the first byte', () => {
  test.each(inClear)('is named where %s speaks in clear, with what to write', async (_, spec, written, says) => {
    const at = `127.0.0.1:${portOf(secure)}`;
    expect(await saidOf(spec, written(at, portOf(secure)))).toEqual([
      'tls',
      `${at} speaks TLS from the first byte: ${says}`,
    ]);
  });

  test.each(withTls)('is not the reason where %s speaks TLS too', async (_, spec, written) => {
    expect(await saidOf(spec, written(`127.0.0.1:${portOf(secure)}`, portOf(secure)))).toEqual(['other', 'no answer']);
  });
});

describe('a server that speaks in clear', () => {
  test.each(withTls)('is named where %s speaks TLS, with what to write', async (_, spec, written, says) => {
    for (const server of [greeting, ending]) {
      const at = `127.0.0.1:${portOf(server)}`;
      expect(await saidOf(spec, written(at, portOf(server)))).toEqual([
        'tls',
        `${at} does not speak TLS from the first byte: ${says}`,
      ]);
    }
  });

  test.each(inClear)('is not the reason where %s speaks in clear too', async (_, spec, written) => {
    expect(await saidOf(spec, written(`127.0.0.1:${portOf(greeting)}`, portOf(greeting)))).toEqual([
      'other',
      'no answer',
    ]);
  });

  test('and answers nothing may be the reason where TLS is spoken', async () => {
    const at = `127.0.0.1:${portOf(silent)}`;
    expect(await saidOf(kvCache, { url: `rediss://${at}` })).toEqual([
      'tls',
      `${at} does not answer TLS; where it speaks in clear, write redis:// in url, without a tls block`,
    ]);
  });
});

test.each<readonly [string, ConnectorSpec, object, string]>([
  ["server does not support 'tls'", nats, { url: 'tls://127.0.0.1:1' }, 'write nats:// in url, without a tls block'],
  [
    'AUTH TLS is refused (530)',
    ftp,
    { host: '127.0.0.1', port: 1, tls: {} },
    'remove tls where the network is trusted',
  ],
  [
    'The server does not support SSL connections',
    postgres,
    { url: 'postgres://a:b@127.0.0.1:1/d?sslmode=require' },
    'write ssl_mode = "disable" where the network is trusted',
  ],
  [
    'Error upgrading connection with STARTTLS: 502',
    smtp,
    { host: '127.0.0.1', port: 1 },
    'write tls = "none" where the network is trusted',
  ],
])('a server of which is said "%s" has no TLS that could be begun', async (message, spec, written, says) => {
  expect(await saidOf(spec, written, message)).toEqual(['tls', `127.0.0.1:1 has no TLS: ${says}`]);
});

test.each([
  ['127.0.0.1:21 cannot be used: AUTH TLS is refused (530)', '530 Please login with USER and PASS.', 'tls'],
  ['the user cannot sign in', '530 Non-anonymous sessions must use encryption.', 'tls'],
  ['the server refuses the letter', '530 5.7.0 Must issue a STARTTLS command first', 'tls'],
  ['the user cannot sign in', '530 Login incorrect.', 'credentials'],
])('%s, for the server says "%s": it is a matter of %s', (message, reply, obstacle) => {
  const failure = new Failure('connector_refused', message, { cause: new Error(reply) });
  expect(unreachable('x', 'ftp', failure, undefined).obstacle).toBe(obstacle);
});

test('an address where nothing listens, or that cannot be read, is reported as it is', async () => {
  expect(await saidOf(kvCache, { url: 'rediss://127.0.0.1:1' })).toEqual(['other', 'no answer']);
  expect(await saidOf(kvCache, { url: 'rediss://' })).toEqual(['other', 'no answer']);
});
