import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../../test/support/certificates.ts';
import { until } from '../../../../../../test/support/until.ts';
import { consuming, never, reply, started } from '../testing/consuming.ts';
import { ofTopic, registryOf, sending } from '../testing/registry.ts';

describe('a registry', () => {
  test('S-87: is asked with the user that is written; wrong credentials end the start, without being shown', async () => {
    const user = { name: 'app', password: 'a secret of the tests' };
    const [brokers, registry] = [await started(), await registryOf({ user })];
    const topic = await brokers.topic();
    registry.register(`${topic}-value`, { schema: '"int"' });
    const send = await sending(brokers, topic, { url: registry.url, username: user.name, password: user.password });
    await send(1);
    const wrong = sending(brokers, topic, { url: registry.url, username: user.name, password: 'another secret' });
    const failure = await wrong.catch((error: unknown) => error);
    expect(failure).toMatchObject({
      code: 'connector_refused',
      message: 'the schema registry refuses the credentials: Unauthorized',
    });
    expect(JSON.stringify([failure, String(failure)])).not.toContain('another secret');
  });

  test.each([
    ['that is silent', 'nothing' as const, /did not answer within/],
    ['that answers too much', [200, `"${'x'.repeat(2_000_000)}"`] as const, /larger than|limit|bytes/],
    ['that answers what is not JSON', [200, '<html>'] as const, /answered: status 200/],
    ['that answers another form', [200, { schema: 5 }] as const, /an answer has no schema/],
    [
      'with a schema of another language',
      [200, { schema: 'x', schemaType: 'THRIFT' }] as const,
      /"THRIFT" are not known/,
    ],
    ['with a schema that is not one', [200, { schema: '{', id: 1 }] as const, /schema 1 cannot be read/],
    [
      'with references without end',
      [200, { schema: '"int"', id: 1, references: [{ name: 'a', subject: 'a', version: 1 }] }] as const,
      /needs more than 100 others/,
    ],
  ])('%s fails what needs it, and is asked again', async (_, instead, says) => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    registry.register(`${topic}-value`, { schema: '"int"' });
    const send = await sending(brokers, topic, { url: registry.url, timeout: 300 });
    registry.instead = instead as typeof registry.instead;
    const outcome = await Promise.resolve(send(1)).then(
      () => 'sent',
      (error: unknown) => String(error),
    );
    expect(outcome).toMatch(says);
    registry.instead = undefined;
    const isLasting = /cannot be read/.test(outcome);
    if (!isLasting) await send(1);
  });

  test.each([
    ['the paths of schemas and subjects', (path: string) => /^\/(schemas\/ids|subjects)\//.test(path), {}],
    ['the path of ids', (path: string) => path.startsWith('/schemas/ids/'), { value_schema_id: 1 }],
  ])('that has %s alone is enough; that it has no other is said at the start', async (_, has, rest) => {
    const [brokers, registry] = [await started(), await registryOf()];
    const topic = await brokers.topic();
    registry.register(`${topic}-value`, { schema: '"int"' });
    registry.has = has;
    const schema_registry = { url: registry.url, ...ofTopic(topic, rest) };
    const send = await sending(brokers, topic, schema_registry);
    await send(7);
    const opened = await consuming(brokers, topic, () => reply, { schema_registry });
    await until(() => opened.taken.length === 1);
    expect([opened.taken[0]?.['body'], await opened.connector.check?.(never)]).toEqual([7, undefined]);
    expect(opened.lines.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('the schema registry has no /schemas/types'),
    );
  });

  test('S-87: over http sends no password in the clear text of a log or an error', async () => {
    const user = { name: 'app', password: 'a secret of the tests' };
    const [brokers, registry] = [await started(), await registryOf({ user })];
    registry.instead = [500, { message: 'broken' }];
    const failure = await sending(brokers, await brokers.topic(), {
      url: registry.url,
      username: user.name,
      password: user.password,
    }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ message: 'the schema registry answered: broken', retriable: true });
    const shown = JSON.stringify(failure, Object.getOwnPropertyNames(failure)) + String((failure as Error).stack);
    expect(shown).not.toContain(user.password);
    expect(shown).not.toContain(Buffer.from(`${user.name}:${user.password}`).toString('base64'));
  });
});

describe.skipIf(openssl === undefined)('a registry', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-registry-tls-'));
  const certificates = new Certificates(folder);
  if (openssl !== undefined) {
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=orders', 'extendedKeyUsage=clientAuth');
  }
  const read = (file: string) => readFileSync(join(folder, file));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function over(tls: object): Promise<void> {
    const server = { cert: read('server.pem'), key: read('server.key'), ca: read('ca.pem') };
    const needsClient = 'cert' in tls;
    const registry = await registryOf({
      tls: { ...server, requestCert: needsClient, rejectUnauthorized: needsClient },
    });
    const brokers = await started();
    await sending(brokers, await brokers.topic(), { url: registry.url, tls }, {}, folder);
    expect(registry.asked).toEqual(['GET /schemas/types']);
  }

  test.each([
    ['its authority', { ca_cert: 'ca.pem', server_name: 'localhost' }],
    ['a certificate', { ca_cert: 'ca.pem', server_name: 'localhost', cert: 'client.pem', key: 'client.key' }],
    ['verification switched off', { insecure_skip_verify: true }],
  ])('S-87: over TLS with %s is asked', async (_, tls) => {
    await over(tls);
  });

  test.each([
    ['another authority', { ca_cert: 'other.pem', server_name: 'localhost' }, /self.signed|unable to verify/],
    ['another name', { ca_cert: 'ca.pem', server_name: 'elsewhere' }, /elsewhere/],
    [
      'a block that is switched off',
      { enabled: false, ca_cert: 'ca.pem', server_name: 'localhost' },
      /self.signed|unable to verify/,
    ],
  ])('S-87: over TLS with %s is refused', async (_, tls, reason) => {
    await expect(over(tls)).rejects.toThrow(reason);
  });
});
