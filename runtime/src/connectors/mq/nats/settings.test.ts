import { rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { hasNats, startNats } from '../../../../../test/support/servers/nats.ts';
import { makeFolder } from '../../../../../test/support/servers/program.ts';
import { until } from '../../../../../test/support/until.ts';
import { describeCall } from '../../database/testing/parts.ts';
import { create } from './connector.ts';
import { nats } from './spec.ts';
import { NatsBed, natsUrl } from './testing/bed.ts';

const never = new AbortController().signal;
const nothing = () => undefined;
type Server = Awaited<ReturnType<typeof startNats>>;

describe.skipIf(!hasNats() || openssl === undefined)(
  'how it signs in to a server of NATS, in clear and over TLS',
  () => {
    const user = nkeys.createUser();
    const seed = new TextDecoder().decode(user.getSeed());
    let directory: string;
    const servers: Record<string, Server> = {};
    beforeAll(async () => {
      directory = makeFolder('nats-tls');
      const certificates = new Certificates(directory);
      certificates.authority('ca');
      certificates.authority('other');
      certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
      certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
      const file = (end: string) => join(directory, end);
      const presented = `cert_file: "${file('server.pem')}", key_file: "${file('server.key')}", ca_file: "${file('ca.pem')}"`;
      servers['plain'] = await startNats();
      servers['password'] = await startNats('authorization { user: "app", password: "pass:wörd" }');
      servers['token'] = await startNats('authorization { token: "to-ken" }');
      servers['nkey'] = await startNats(`authorization { users: [{ nkey: "${user.getPublicKey()}" }] }`);
      servers['tls'] = await startNats(`tls { ${presented} }`);
      servers['verified'] = await startNats(`tls { ${presented}, verify: true }`);
      // What creds files hold beside the seed is checked by a server with accounts; one with keys reads the seed alone.
      writeFileSync(
        file('app.creds'),
        `-----BEGIN NATS USER JWT-----\nx.y.z\n------END NATS USER JWT------\n\n-----BEGIN USER NKEY SEED-----\n${seed}\n------END USER NKEY SEED------\n`,
      );
      writeFileSync(file('bad.creds'), 'nothing');
    }, 60_000);
    afterAll(async () => {
      await Promise.all(Object.values(servers).map((server) => server.stop()));
      rmSync(directory, { recursive: true });
    });

    const portOf = (server: string) => (servers[server] as Server).port;

    /** Publishes once; resolves with nothing, or with why that was not possible. */
    async function attempt(written: Record<string, unknown>): Promise<string | undefined> {
      const log = recordingLog();
      const config = configured(nats.config, { timeout: 2_000, connect_timeout: 2_000, ...written });
      const connector = create('bus', config, connectorServices({ directory, log }));
      try {
        await connector.open(never);
        await connector.target?.prepare(describeCall('create', { target: 'a.b' }))({ payload: {} });
        return undefined;
      } catch (error) {
        const seen = JSON.stringify([log.lines, (error as Error).message]);
        expect(seen).not.toMatch(new RegExp(`pass:w|to-ken|wrong-|${seed}`));
        return (error as Error).message;
      } finally {
        await connector.close(AbortSignal.abort());
      }
    }

    test('with user and password, token, key, or credentials; a refusal shows no secret', async () => {
      const at = (server: string) => ({ host: '127.0.0.1', port: portOf(server) });
      const url = (server: string, userinfo: string) => ({ url: `nats://${userinfo}@127.0.0.1:${portOf(server)}` });
      const accepted = await Promise.all([
        attempt(at('plain')),
        attempt({ ...at('password'), username: 'app', password: 'pass:wörd' }),
        attempt(url('password', `app:${encodeURIComponent('pass:wörd')}`)),
        attempt({ ...at('token'), token: 'to-ken' }),
        attempt(url('token', 'to-ken')),
        attempt({ ...at('nkey'), nkey: seed }),
      ]);
      expect(accepted).toEqual(accepted.map(() => undefined));
      const refused = await Promise.all([
        attempt(at('password')),
        attempt({ ...at('password'), username: 'app', password: 'wrong-pw' }),
        attempt({ ...at('token'), token: 'wrong-token' }),
        attempt({ ...at('nkey'), nkey: new TextDecoder().decode(nkeys.createUser().getSeed()) }),
      ]);
      for (const message of refused) expect(message).toMatch(/authoriz/i);
      expect(await attempt({ ...at('nkey'), nkey: 'wrong-seed' })).toBe('"nkey" is not a seed');
      expect(await attempt({ ...at('nkey'), credentials: 'bad.creds' })).toMatch(/credential/i);
      expect(await attempt({ ...at('nkey'), credentials: 'absent.creds' })).toMatch(/"absent.creds" cannot be used/);
    });

    test('S-12: credentials of a file sign with their key and name their token', async () => {
      const library = await import('@nats-io/transport-node');
      const { signInOf } = await import('./sign-in.ts');
      const config = configured(nats.config, { credentials: 'app.creds' });
      const said = (await signInOf(config, directory))?.('nonce') as { jwt: string; sig: string };
      expect(said.jwt).toBe('x.y.z');
      const signature = Buffer.from(said.sig, 'base64url');
      const key = library.nkeys.fromPublic(user.getPublicKey());
      expect(key.verify(new TextEncoder().encode('nonce'), new Uint8Array(signature))).toBe(true);
    });

    const own = { cert: 'client.pem', key: 'client.key' };
    test.each([
      ['a certificate of its own', 'nats://localhost', 'verified', { ca_cert: 'ca.pem', ...own }, undefined],
      ['the scheme alone', 'tls://localhost', 'tls', { ca_cert: 'ca.pem', enabled: true }, undefined],
      [
        'the name that is expected',
        'nats://127.0.0.1',
        'tls',
        { ca_cert: 'ca.pem', server_name: 'localhost' },
        undefined,
      ],
      ['verification switched off', 'nats://127.0.0.1', 'tls', { insecure_skip_verify: true }, undefined],
      ['no authority that is known', 'nats://localhost', 'tls', {}, /certificate/],
      ['another authority', 'nats://localhost', 'tls', { ca_cert: 'other.pem' }, /certificate/],
      ['another name', 'nats://127.0.0.1', 'tls', { ca_cert: 'ca.pem' }, /altnames/],
      ['no certificate of its own', 'nats://localhost', 'verified', { ca_cert: 'ca.pem' }, /certificate|closed|reset/i],
      ['a server without TLS', 'nats://localhost', 'plain', { ca_cert: 'ca.pem' }, /tls/],
      ['a block that is switched off', 'nats://localhost', 'tls', { enabled: false }, /tls|secure/i],
    ])('S-87: with %s', async (_, address, server, tls, refused) => {
      const message = await attempt({ url: `${address}:${portOf(server)}`, tls });
      if (refused === undefined) expect(message).toBeUndefined();
      else expect(message).toMatch(refused);
    });
  },
);

describe.skipIf(natsUrl === undefined)('what is written of a connection to a NATS server', () => {
  let bed: NatsBed;
  beforeEach(async () => {
    bed = await NatsBed.ofSubjects();
  });
  afterEach(() => bed.close());

  test('is what the server calls it', async () => {
    const peer = createServer();
    const said: string[] = [];
    await new Promise<void>((resolve) => peer.listen(0, '127.0.0.1', resolve));
    peer.on('connection', (socket) => {
      socket.on('error', () => undefined);
      socket.write('INFO {"server_id":"x","version":"2.9.0","max_payload":1048576,"proto":1,"headers":true}\r\n');
      socket.on('data', (bytes) => {
        said.push(...[...String(bytes).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name as string));
        if (String(bytes).includes('PING')) socket.write('PONG\r\n');
      });
    });
    const url = `nats://127.0.0.1:${(peer.address() as AddressInfo).port}`;
    const first = await bed.open({ url });
    const second = await bed.open({ url, connection_name: 'shop' });
    expect(said).toEqual(['orders', 'shop']);
    for (const { connector } of [first, second]) await connector.close(AbortSignal.abort());
    peer.close();
  });

  test('is several servers: the next one where the first is not there', async () => {
    const { hostname, port } = new URL(natsUrl as string);
    const written = { url: 'nats://127.0.0.1:1', servers: [`${hostname}:${port || 4222}`] };
    const { taken } = await bed.open(written, { flows: { [bed.subject]: nothing } });
    await bed.publish(['a']);
    await until(() => taken.length === 1);
  });

  test('is how long a connection is waited for', async () => {
    bed.proxy.fault = 'blackhole';
    const before = performance.now();
    await expect(bed.open({ connect_timeout: 100 })).rejects.toMatchObject({ code: 'connector_refused' });
    expect(performance.now() - before).toBeLessThan(10_000);
  });

  test('R-05: is how often a silent server is noticed, while nothing comes', async () => {
    const { taken } = await bed.open({ heartbeat: 50 }, { flows: { [bed.subject]: nothing } });
    bed.proxy.silence();
    await until(async () => {
      await bed.publish(['after']);
      return taken.length > 0;
    });
  });

  test('is the largest message that it takes: a larger one is dropped with a line that says so, and later ones come', async () => {
    const { taken } = await bed.open({ max_message: 2_000 }, { flows: { [bed.subject]: nothing } });
    await bed.publish(['x'.repeat(1_500)]);
    await until(() => taken.length === 1);
    await bed.publish(['y'.repeat(2_001), 'z'.repeat(300_000), 'after']);
    await until(() => taken.length === 2);
    expect(taken.map(([, { body }]) => body)).toEqual(['x'.repeat(1_500), 'after']);
    expect(
      bed.lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields['error']]),
    ).toEqual(
      [2_001, 300_000].map((bytes) => [
        'message dropped: another try would fail as well',
        `the message has ${bytes} bytes, more than 2000 (max_message)`,
      ]),
    );
  });

  test('is how long it waits before it connects again, and how often it tries', async () => {
    await bed.open({ max_reconnects: 2 }, { flows: { [bed.subject]: nothing } });
    bed.proxy.fault = 'refuse';
    bed.cut();
    const given = await until(() => bed.lines.find(({ level }) => level === 'error'));
    expect([given.message, given.fields['attempts']]).toEqual([
      'the broker remains unavailable: no further attempt is made',
      2,
    ]);
  });

  test('is what a body is decoded as', async () => {
    const { taken } = await bed.open({}, { flows: { [bed.subject]: nothing }, words: { format: 'csv' } });
    await bed.publish(['id\n7']);
    await until(() => taken.length === 1);
    expect(taken[0]?.[1]['body']).toMatchObject({ id: '7' });
  });
});
