import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { until } from '../../../../../test/support/until.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { create } from './connector.ts';
import { cleanups, consuming, never, reply, started, written } from './testing/consuming.ts';

const users = [{ name: 'app', password: 'a secret of the tests' }];
const [{ name: username, password }] = users as [(typeof users)[0]];

describe('a client that signs in', () => {
  test.each(['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])('S-87: by %s takes messages', async (mechanism) => {
    const brokers = await started({ users });
    const topic = await brokers.topic();
    await brokers.send(topic, [{ value: 'a' }]);
    const before = brokers.standIn?.signedIn.length ?? 0;
    const opened = await consuming(brokers, topic, () => reply, { sasl: { mechanism, username, password } });
    await until(() => opened.taken.length === 1);
    expect(new Set(brokers.standIn?.signedIn.slice(before))).toEqual(new Set([mechanism]));
    await opened.connector.check?.(never);
  });

  test.each(['PLAIN', 'SCRAM-SHA-256'])(
    'S-87: with a wrong password by %s is refused, without telling it',
    async (mechanism) => {
      const brokers = await started({ users });
      const log = recordingLog();
      const wrong = 'another secret';
      const config = written(brokers, 'orders', { sasl: { mechanism, username, password: wrong } });
      const connector = create('orders', config, connectorServices({ log }));
      cleanups.push(() => connector.close());
      const failure = await connector.open(never).catch((error: unknown) => error);
      expect(failure).toMatchObject({ code: 'connector_refused', message: expect.stringMatching(/authentication/i) });
      expect(JSON.stringify([log.lines, String(failure)])).not.toContain(wrong);
    },
  );
});

describe.skipIf(openssl === undefined)('a client over TLS', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-kafka-tls-'));
  const certificates = new Certificates(folder);
  if (openssl !== undefined) {
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=orders', 'extendedKeyUsage=clientAuth');
  }
  const read = (file: string) => readFileSync(join(folder, file));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function over(tls: object): Promise<unknown> {
    const server = { cert: read('server.pem'), key: read('server.key'), ca: read('ca.pem'), requestCert: true };
    const brokers = await started({ tls: { ...server, rejectUnauthorized: false } });
    const topic = await brokers.topic();
    const services = { ...connectorServices(), directory: folder };
    const connector = create('orders', written(brokers, topic, { tls }), services) as EventConnector;
    cleanups.push(() => connector.close());
    await connector.open(never);
    const certificate = brokers.standIn?.peers.find((name) => name !== undefined);
    await connector.close();
    return certificate ?? 'no certificate';
  }

  test.each([
    ['its authority', { ca_cert: 'ca.pem', server_name: 'localhost' }, 'no certificate'],
    ['a certificate', { ca_cert: 'ca.pem', server_name: 'localhost', cert: 'client.pem', key: 'client.key' }, 'orders'],
    ['verification switched off', { insecure_skip_verify: true }, 'no certificate'],
  ])('S-87: with %s it takes messages', async (_, tls, certificate) => {
    expect(await over(tls)).toBe(certificate);
  });

  test.each([
    ['another authority', { ca_cert: 'other.pem', server_name: 'localhost' }, /self.signed|unable to verify/],
    ['another name', { ca_cert: 'ca.pem', server_name: 'elsewhere' }, /elsewhere/],
    ['TLS switched off', { enabled: false, ca_cert: 'ca.pem' }, /connection|answer|response/i],
  ])('S-87: with %s it is refused', async (_, tls, reason) => {
    await expect(over(tls)).rejects.toThrow(reason);
  });
});
