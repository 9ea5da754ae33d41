import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { memoryLog } from '../running/testing/fakes.ts';
import { AdminServer } from './server.ts';

const routes = [
  { path: '/health', open: true, handle: () => ({ status: 200, contentType: 'text/plain', body: 'well' }) },
];

async function serving(host: string | undefined) {
  const server = new AdminServer({ port: 0, host, routes, log: memoryLog().log });
  const { port } = await server.listen();
  return { port, [Symbol.asyncDispose]: () => server.close() };
}

/** Everything that is sent back for these bytes, until the server closes. */
async function exchanged(port: number, bytes: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  let closed = false;
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.on('end', () => socket.end());
  socket.write(bytes);
  await until(() => closed);
  return text;
}

test('S-93: answers are not sniffed, refusals included', async () => {
  await using server = await serving('127.0.0.1');
  for (const [path, status] of [
    ['/health', 200],
    ['/nowhere', 404],
  ] as const) {
    const answer = await fetch(`http://127.0.0.1:${server.port}${path}`);
    expect([path, answer.status, answer.headers.get('x-content-type-options')]).toEqual([path, status, 'nosniff']);
  }
});

test('S-66: it is as strict about requests as the servers of connectors', async () => {
  await using server = await serving('127.0.0.1');
  const answer = await exchanged(server.port, 'GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n');
  expect(answer).toMatch(
    /^HTTP\/1\.1 400 [\s\S]*\{"error":"a request has one Host header at most","code":"malformed"\}$/,
  );
});

test('S-03: a refused change of protocol keeps no connection, though its caller never closes', async () => {
  await using server = await serving('127.0.0.1');
  const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  let closed = false;
  socket.on('error', () => undefined);
  socket.on('close', () => {
    closed = true;
  });
  socket.write('GET /debug HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
  let ended = false;
  socket.on('end', () => {
    ended = true;
  });
  socket.resume();
  await until(() => ended);
  // What is sent to a socket that is gone is answered with a reset.
  await until(() => {
    if (!closed) socket.write('x');
    return closed;
  });
});

test('every interface without a host, else the one that is named', async () => {
  await using everywhere = await serving(undefined);
  await using here = await serving('127.0.0.1');
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((one) => one?.family === 'IPv4' && !one.internal)?.address;
  const ask = (host: string, port: number) =>
    fetch(`http://${host}:${port}/health`).then(
      ({ status }) => status,
      () => 'refused',
    );
  expect([await ask('127.0.0.1', everywhere.port), await ask('127.0.0.1', here.port)]).toEqual([200, 200]);
  // A machine without a network has nothing more to ask.
  if (outside !== undefined)
    expect([await ask(outside, everywhere.port), await ask(outside, here.port)]).toEqual([200, 'refused']);
});
