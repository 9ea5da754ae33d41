import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { findProgram, makeFolder } from '../../../../../test/support/servers/program.ts';
import { type RedisCluster, startRedisCluster } from '../../../../../test/support/servers/redis-cluster.ts';
import { type RedisNode, startRedisNode } from '../../../../../test/support/servers/redis-node.ts';
import { startWatchedRedis, type WatchedRedis } from '../../../../../test/support/servers/redis-sentinel.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { StorageConnector } from '../testing/storage-conformance.ts';
import { create } from './connector.ts';
import { kvCache } from './spec.ts';

const never = new AbortController().signal;

describe.skipIf(findProgram('redis-server') === undefined || openssl === undefined)('Redis over TLS', () => {
  let directory: string;
  let server: RedisNode;
  let ports: { verified: number; named: number };
  const started: { stop(): Promise<void> }[] = [];
  const opened: StorageConnector[] = [];

  beforeAll(async () => {
    directory = makeFolder('redis-tls');
    const certificates = new Certificates(directory);
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
    server = await startRedisNode({ tls: secure('yes') });
    const any = await startRedisNode({ tls: secure('no') });
    started.push(server, any);
    ports = { verified: server.securePort, named: any.securePort };
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((connector) => connector.close(AbortSignal.abort())));
  });
  afterAll(async () => {
    await Promise.all(started.map((each) => each.stop()));
    rmSync(directory, { recursive: true });
  });

  /** Words of a server that speaks TLS, and whether it asks clients for a certificate. */
  function secure(asks: 'yes' | 'no'): string[] {
    const file = (end: string) => `${directory}/${end}`;
    const presented = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')];
    return [...presented, '--tls-ca-cert-file', file('ca.pem'), '--tls-auth-clients', asks];
  }

  async function open(written: Record<string, unknown>): Promise<StorageConnector> {
    const config = configured(kvCache.config, { timeout: 1000, ...written });
    const cache = create('c', config, connectorServices({ directory })) as StorageConnector;
    opened.push(cache);
    await cache.open(never);
    return cache;
  }

  const own = { cert: 'client.pem', key: 'client.key' };

  test.each([
    ['a certificate of its own', () => `rediss://localhost:${ports.verified}`, own],
    ['the block alone', () => `redis://localhost:${ports.named}`, {}],
    ['the name that is expected', () => `rediss://127.0.0.1:${ports.named}`, { server_name: 'localhost' }],
    [
      'verification switched off',
      () => `rediss://127.0.0.1:${ports.named}`,
      { ca_cert: undefined, insecure_skip_verify: true },
    ],
  ])('S-87: with %s it keeps entries', async (_, url, tls) => {
    const { storage } = await open({ url: url(), tls: { ca_cert: 'ca.pem', ...tls } });
    await storage.set('a', '1', undefined);
    expect(await storage.get('a')).toBe('1');
  });

  test.each([
    ['no authority that is known', () => `rediss://localhost:${ports.named}`, { ca_cert: undefined }, /self-signed/],
    ['another authority', () => `rediss://localhost:${ports.named}`, { ca_cert: 'other.pem' }, /certificate/],
    ['another name', () => `rediss://127.0.0.1:${ports.named}`, {}, /does not match certificate's altnames/],
    ['no certificate of its own', () => `rediss://localhost:${ports.verified}`, {}, /cannot be reached/],
    ['a block that is disabled', () => `rediss://localhost:${ports.named}`, { enabled: false }, /certificate/],
    [
      'a file that is not there',
      () => `rediss://localhost:${ports.named}`,
      { ca_cert: 'none.pem' },
      /cannot read "none/,
    ],
  ])('S-87: with %s it fails at start', async (_, url, tls, message) => {
    const refused = await open({ url: url(), tls: { ca_cert: 'ca.pem', ...tls } }).then(
      () => expect.fail('it did not fail'),
      (error: Failure) => error,
    );
    expect(refused.message).toMatch(message);
  });

  test('TLS 1.2 is the oldest version spoken', async () => {
    await server.client.config('SET', 'tls-protocols', 'TLSv1.1');
    try {
      const url = `rediss://localhost:${ports.verified}`;
      await expect(open({ url, tls: { ca_cert: 'ca.pem', ...own } })).rejects.toThrow(/cannot be reached/);
    } finally {
      await server.client.config('SET', 'tls-protocols', '');
    }
  });

  test('S-87: every node of a cluster is verified', async () => {
    const cluster: RedisCluster = await startRedisCluster(0, secure('no'));
    started.push(cluster);
    const words = (tls: Record<string, unknown>) => ({ mode: 'cluster', cluster: { nodes: cluster.secured }, tls });
    const { storage } = await open(words({ ca_cert: 'ca.pem', server_name: 'localhost' }));
    const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
    await Promise.all(keys.map((key) => storage.set(key, key, undefined)));
    expect(await Promise.all(keys.map((key) => storage.get(key)))).toEqual(keys);
    await expect(open(words({ ca_cert: 'other.pem', server_name: 'localhost' }))).rejects.toThrow(/certificate/);
    await expect(open(words({ ca_cert: 'ca.pem', server_name: 'elsewhere' }))).rejects.toThrow(/altnames/);
  });

  test('S-87: sentinels and the master are verified', async () => {
    const watched: WatchedRedis = await startWatchedRedis({}, secure('no'));
    started.push(watched);
    const sentinel = { master_name: 'main', nodes: [watched.secured] };
    const words = (tls: Record<string, unknown>) => ({ mode: 'sentinel', sentinel, tls });
    const cache = await open(words({ ca_cert: 'ca.pem', server_name: 'localhost' }));
    await cache.storage.set('a', '1', undefined);
    expect([await cache.storage.get('a'), await cache.check?.(never)]).toEqual(['1', undefined]);
    await expect(open(words({ ca_cert: 'other.pem', server_name: 'localhost' }))).rejects.toThrow(
      /sentinels are unreachable/,
    );
  });
});
