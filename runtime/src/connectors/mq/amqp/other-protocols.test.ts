import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { connectTo } from './connection.ts';

const version = (...bytes: readonly number[]) => Buffer.concat([Buffer.from('AMQP'), Buffer.from(bytes)]);

test.each([
  ['of version 1.0', version(0, 1, 0, 0), 'the broker speaks AMQP 1.0: this connector speaks AMQP 0-9-1'],
  ['of version 1.0 with TLS', version(2, 1, 0, 0), 'the broker speaks AMQP 1.0: this connector speaks AMQP 0-9-1'],
  ['of version 1.0 with SASL', version(3, 1, 0, 0), 'the broker speaks AMQP 1.0: this connector speaks AMQP 0-9-1'],
  ['of version 0-8', version(1, 1, 8, 0), 'the broker speaks AMQP 0-8: this connector speaks AMQP 0-9-1'],
  ['of version 0-9', version(1, 1, 0, 9), 'the broker speaks AMQP 0-9 or 0-10: this connector speaks AMQP 0-9-1'],
  ['of version 0-10', version(1, 1, 0, 10), 'the broker speaks AMQP 0-9 or 0-10: this connector speaks AMQP 0-9-1'],
  [
    'of HTTP',
    Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'),
    'the server does not speak AMQP: this connector speaks AMQP 0-9-1',
  ],
  [
    'of another protocol',
    Buffer.from('220 mail ESMTP\r\n'),
    'the server does not speak AMQP: this connector speaks AMQP 0-9-1',
  ],
])('a server %s is named', async (_, answer, message) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.end(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const address = { protocol: 'amqp', host: '127.0.0.1', port, username: 'a', password: 'b', vhost: '/' } as never;
  const options = { tls: undefined, lost: () => undefined, heartbeat: 0, clientProperties: {}, mostBytes: 1 };
  await expect(connectTo(address, options)).rejects.toThrow(message);
  server.close();
});
