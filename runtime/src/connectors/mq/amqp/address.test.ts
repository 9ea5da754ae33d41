import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { until } from '../../../../../test/support/until.ts';
import { hostAndPort } from '../../../platform/net/server-url.ts';
import { brokerUrl } from '../testing/broker.ts';
import { cleanups, consuming, declared } from '../testing/consuming.ts';
import { addressOf } from './address.ts';
import { amqp } from './spec.ts';

const address = (written: Record<string, unknown>) =>
  addressOf(configured(amqp.config, { ...written, consumer: { queue: 'q' } }));
const standard = {
  protocol: 'amqp',
  host: 'localhost',
  port: 5672,
  username: 'guest',
  password: 'guest',
  vhost: '/',
  ignored: [],
};

describe('the address of a broker', () => {
  test.each([
    [{}, {}],
    [
      { host: 'h', port: 1, username: 'u', password: 'p', vhost: 'v' },
      { host: 'h', port: 1, username: 'u', password: 'p', vhost: 'v' },
    ],
    [{ url: 'amqp://h' }, { host: 'h' }],
    [
      { url: 'amqp://h/', vhost: 'v', username: 'u' },
      { host: 'h', vhost: 'v', username: 'u' },
    ],
    [
      { url: 'amqp://a%40b:p%2Fq@h:7/v%2Fw', host: 'x', port: 2, vhost: 'y' },
      { host: 'h', port: 7, username: 'a@b', password: 'p/q', vhost: 'v/w' },
    ],
    [{ url: 'amqps://[::1]?heartbeat=1' }, { protocol: 'amqps', host: '::1', port: 5671, ignored: ['heartbeat'] }],
    [
      { host: 'h', tls: {} },
      { protocol: 'amqps', host: 'h', port: 5671 },
    ],
    [{ url: 'amqp://h', tls: { enabled: false } }, { host: 'h' }],
  ])('%j', (written, expected) => {
    const { text, scheme: _, target: __, ...parts } = address(written);
    expect(text).toBe(hostAndPort(parts.host, parts.port));
    expect(parts).toEqual({
      ...standard,
      isSecure: 'protocol' in expected && expected.protocol === 'amqps',
      ...expected,
    });
  });

  test('one that cannot be read is refused without being shown', () => {
    expect(() => address({ url: 'amqp://a:secret%zz@h' })).toThrow(
      'its url cannot be read; reserved characters of the password are written as %XX',
    );
  });
});

describe.skipIf(brokerUrl === undefined)('TLS', () => {
  test('S-87: a broker is spoken to when its certificate is trusted, and only then', async () => {
    const { cert, private: key } = await generate([{ name: 'commonName', value: 'localhost' }], {
      algorithm: 'sha256',
      keySize: 2048,
      extensions: [
        { name: 'basicConstraints', cA: true },
        { name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] },
      ],
    });
    const folder = mkdtempSync(join(tmpdir(), 'svc-amqp-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const ca = join(folder, 'ca.pem');
    writeFileSync(ca, cert);
    const { hostname, port, username, password } = new URL(brokerUrl as string);
    const server = createServer({ cert, key }, (socket) => {
      const broker = connect(Number(port || 5672), hostname);
      socket.pipe(broker).pipe(socket);
      socket.on('error', () => broker.destroy());
      broker.on('error', () => socket.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const url = `amqps://${username}:${password}@localhost:${(server.address() as AddressInfo).port}`;
    const queue = await declared();
    await expect(consuming(queue, undefined, { url })).rejects.toThrow(/self-signed certificate/);
    const opened = await consuming(queue, undefined, { url, tls: { ca_cert: ca } });
    await queue.publish(['a']);
    await until(() => opened.taken.length === 1);
  });
});
