import { MongoClient } from 'mongodb';
import { generate } from 'selfsigned';
import { afterEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { MongodbStandIn, type StandInOptions } from '../../../../../test/support/servers/mongodb/stand-in.ts';
import { until } from '../../../../../test/support/until.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { describeCall, failureOf } from '../testing/parts.ts';
import { addressOf } from './address.ts';
import { create } from './connector.ts';
import { mongodb } from './spec.ts';

const never = new AbortController().signal;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function standIn(options?: StandInOptions): Promise<MongodbStandIn> {
  const server = await MongodbStandIn.start(options);
  ends.push(() => server.stop());
  return server;
}

function make(written: Readonly<Record<string, unknown>>, directory = process.cwd()) {
  const log = recordingLog();
  const settings = { database: 'shop', pool: { min: 0, connect_timeout: 500 }, ...written };
  const services = connectorServices({ directory, log });
  const connector = create('db', configured(mongodb.config, settings), services) as TargetConnector;
  ends.push(() => connector.close(AbortSignal.abort()));
  return { connector, log };
}

const address = (written: Readonly<Record<string, unknown>>) =>
  addressOf(configured(mongodb.config, { database: 'shop', ...written }));

describe('the address', () => {
  test.each([
    [{}, 'mongodb://localhost:27017/?'],
    [{ host: '::1', port: 5 }, 'mongodb://[::1]:5/?'],
    [{ srv: true, host: 'db.internal' }, 'mongodb+srv://db.internal/?'],
    [
      { replica_set: 'rs0', read_concern: 'majority' },
      'mongodb://localhost:27017/?replicaSet=rs0&readConcernLevel=majority',
    ],
    [{ user: 'a:b', password: 'p@/ss' }, 'mongodb://a%3Ab:p%40%2Fss@localhost:27017/?'],
  ])('of %j is %s', (written, expected) => {
    const { uri, text } = address(written);
    expect(uri).toBe(expected);
    expect(text).not.toContain('ss');
    expect(() => new MongoClient(uri)).not.toThrow();
  });

  test('`uri` is used as it is; what is written beside it has no effect, and is reported', async () => {
    const server = await standIn();
    const uri = `mongodb://127.0.0.1:${server.port}/?directConnection=true`;
    const { connector, log } = make({ uri, host: 'nowhere', user: 'ann' });
    await connector.open(never);
    expect(log.lines.find(({ level }) => level === 'warn')?.fields['attributes']).toEqual(['host', 'user']);
    expect(() => address({ uri: 'mongodb://h/?tls=true&tlsAllowInvalidCertificates=true' })).toThrow(/tls/);
  });

  test('A-11: a user signs in with the database that knows it; a refusal contains no password', async () => {
    const users = [{ name: 'a:b', password: 'p@/ss,=word', database: 'accounts' }];
    const { port } = await standIn({ users });
    const written = { host: '127.0.0.1', port, direct: true, user: 'a:b', auth_source: 'accounts' };
    await make({ ...written, password: 'p@/ss,=word' }).connector.open(never);
    for (const wrong of [{ password: 'wrong-secret' }, { password: 'p@/ss,=word', auth_source: 'admin' }]) {
      const failure = await failureOf(() => make({ ...written, ...wrong }).connector.open(never));
      expect([failure.code, /Authentication failed/.test(failure.message)]).toEqual(['connector_refused', true]);
      expect(failure.message).not.toContain(wrong.password);
    }
  });

  test('`direct` uses the server in the address; else the member that the replica set names', async () => {
    const server = await standIn();
    const proxy = await faultProxy({ port: server.port });
    ends.push(() => proxy.close());
    const written = { host: '127.0.0.1', port: proxy.port };
    const [direct, found] = [make({ ...written, direct: true }), make({ ...written, replica_set: 'rs0' })];
    for (const { connector } of [direct, found]) await connector.open(never);
    proxy.fault = 'refuse';
    proxy.reset();
    await found.connector.check?.(never);
    await expect(direct.connector.check?.(never)).rejects.toMatchObject({ code: 'connector_refused' });
  });

  test('`read_concern` goes with every read, and `database` is where collections are', async () => {
    const server = await standIn();
    const { connector } = make({ host: '127.0.0.1', port: server.port, direct: true, read_concern: 'majority' });
    await connector.open(never);
    server.failPoints.configure({
      mode: 'alwaysOn',
      data: { failCommands: ['find'], blockConnection: true, blockTimeMS: 60_000 },
    });
    const reading = connector.target.prepare(describeCall('read', { target: 'items' }))({});
    await until(() => server.running('find') === 1);
    expect(server.asked('find')).toMatchObject([
      { $db: 'shop', readConcern: { level: 'majority' }, maxTimeMS: expect.closeTo(30_000, -2) },
    ]);
    server.failPoints.end();
    expect(await reading).toEqual({ rows: [] });
  });

  test('`pool.min` connections stay open', async () => {
    const server = await standIn();
    const proxy = await faultProxy({ port: server.port });
    ends.push(() => proxy.close());
    const { connector } = make({ host: '127.0.0.1', port: proxy.port, direct: true, pool: { min: 7, max: 10 } });
    await connector.open(never);
    await until(() => proxy.connections >= 7);
  });

  test('a server that cannot be reached ends the start within `connect_timeout`', async () => {
    const failure = await failureOf(() => make({ host: '127.0.0.1', port: 1 }).connector.open(never));
    expect(failure).toMatchObject({ code: 'connector_refused', message: expect.stringContaining('ECONNREFUSED') });
  });

  test('a server that is standalone has no changes to take', async () => {
    const { port } = await standIn({ isReplicaSet: false });
    const { connector } = make({ host: '127.0.0.1', port });
    const deliver = () => ({ kind: 'reply', value: null }) as const;
    const flows = connector.source?.bind([{ flow: 'f', operation: 'orders', words: {}, deliver }]);
    await connector.open(never);
    flows?.use();
    await expect(connector.source?.start()).rejects.toMatchObject({
      code: 'connector_failed',
      message: expect.stringContaining('not a replica set'),
    });
  });
});

describe('S-87: over TLS', () => {
  async function secured() {
    const made = await generate([{ name: 'commonName', value: 'localhost' }], {
      extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
    });
    const server = await standIn({ tls: { cert: made.cert, key: made.private } });
    const directory = folderWith({ 'ca.pem': made.cert, 'key.pem': made.private });
    const open = (tls: object | undefined, host = 'localhost') =>
      make({ host, port: server.port, direct: true, ...(tls && { tls }) }, directory).connector.open(never);
    return { open };
  }

  test('a peer is verified by authority and name, unless that is switched off', async () => {
    const { open } = await secured();
    await open({ ca_cert: 'ca.pem' });
    await open({ ca_cert: 'ca.pem', server_name: 'localhost' }, '127.0.0.1');
    await open({ ca_cert: 'ca.pem', cert: 'ca.pem', key: 'key.pem' });
    await open({ insecure_skip_verify: true });
    const refused = [
      () => open({}),
      () => open({ ca_cert: 'ca.pem' }, '127.0.0.1'),
      () => open({ ca_cert: 'ca.pem', enabled: false }),
      () => open(undefined),
    ];
    for (const each of refused) expect((await failureOf(each)).code).toBe('connector_refused');
    expect((await failureOf(() => open({ ca_cert: 'none.pem' }))).message).toContain('tls.ca_cert');
  });
});
