import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { findProgram, makeFolder } from '../../../../../test/support/servers/program.ts';
import { type RedisNode, startRedisNode } from '../../../../../test/support/servers/redis-node.ts';
import { until } from '../../../../../test/support/until.ts';
import { describeCall } from '../../database/testing/parts.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from './connector.ts';
import { pubsub } from './spec.ts';

describe.skipIf(findProgram('redis-server') === undefined || openssl === undefined)(
  'channels of Redis over TLS',
  () => {
    let directory: string;
    let server: RedisNode;
    beforeAll(async () => {
      directory = makeFolder('redis-tls');
      const certificates = new Certificates(directory);
      certificates.authority('ca');
      certificates.authority('other');
      certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
      certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
      const file = (end: string) => `${directory}/${end}`;
      const presented = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')];
      server = await startRedisNode({
        tls: [...presented, '--tls-ca-cert-file', file('ca.pem'), '--tls-auth-clients', 'yes'],
      });
    });
    afterAll(async () => {
      await server.stop();
      rmSync(directory, { recursive: true });
    });

    /** Sends a message to itself: both connections speak TLS. */
    async function roundTrip(tls: Record<string, unknown>): Promise<void> {
      const url = `redis://localhost:${server.securePort}`;
      const config = configured(pubsub.config, { url, channels: ['c'], timeout: 1_000, tls });
      const connector = create('bus', config, connectorServices({ directory })) as EventConnector & TargetConnector;
      try {
        let isTaken = false;
        const deliver = () => {
          isTaken = true;
          return { kind: 'reply', value: null } as const;
        };
        const flows = connector.source.bind([{ flow: 'f', operation: undefined, words: {}, deliver }]);
        await flows.prepare();
        await connector.open(new AbortController().signal);
        flows.use();
        await connector.source.start();
        await connector.target.prepare(describeCall('create', { target: 'c' }))({ payload: {} });
        await until(() => isTaken);
      } finally {
        await connector.close(AbortSignal.abort());
      }
    }

    const own = { ca_cert: 'ca.pem', cert: 'client.pem', key: 'client.key' };

    test.each([['a certificate of its own', own]])('S-87: with %s messages are published and heard', async (_, tls) => {
      await roundTrip(tls);
    });

    test.each([
      ['no authority that is known', { ...own, ca_cert: undefined }],
      ['another authority', { ...own, ca_cert: 'other.pem' }],
      ['another name', { ...own, server_name: 'elsewhere' }],
      ['no certificate of its own', { ca_cert: 'ca.pem' }],
    ])('S-87: with %s it does not start', async (_, tls) => {
      await expect(roundTrip(tls)).rejects.toMatchObject({ code: 'store_unavailable' });
    });
  },
);
