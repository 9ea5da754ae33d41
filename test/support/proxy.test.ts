import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from './proxy.ts';
import { until } from './until.ts';

let echo: Server;
let proxy: FaultProxy;

beforeEach(async () => {
  echo = createServer((socket) => socket.on('error', () => {}).pipe(socket));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  proxy = await faultProxy({ port: (echo.address() as AddressInfo).port });
});

afterEach(async () => {
  await proxy.close();
  echo.close();
});

interface Client {
  readonly socket: Socket;
  text: string;
  readonly ended: Promise<string>;
}

function client(): Client {
  const socket = connect(proxy.port, '127.0.0.1');
  const ended = new Promise<string>((resolve) => {
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    socket.on('close', () => resolve('closed'));
  });
  const made = { socket, text: '', ended };
  socket.on('data', (piece) => {
    made.text += piece;
  });
  return made;
}

test('hands bytes on in order, in time and late', async () => {
  const { socket } = client();
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.write('one ');
  await until(() => text === 'one ');
  proxy.latency = 40;
  socket.write('two ');
  await until(() => proxy.connections === 1);
  proxy.latency = 0;
  socket.write('three');
  await until(() => text === 'one two three');
  socket.end();
  await until(() => proxy.connections === 0);
});

test('drips a few bytes at a time', async () => {
  proxy.fault = 'drip';
  const { socket } = client();
  const pieces: number[] = [];
  let text = '';
  socket.on('data', (piece) => {
    pieces.push(piece.length);
    text += piece;
  });
  const sent = 'x'.repeat(100);
  socket.write(sent);
  await until(() => text.length >= sent.length);
  expect(text).toBe(sent);
  expect(pieces.length).toBeGreaterThan(1);
});

test('refuses, and resets what is open', async () => {
  const open = client();
  open.socket.write('a');
  await until(() => open.text === 'a');
  proxy.fault = 'refuse';
  expect(await client().ended).toMatch(/ECONNRESET|closed/);
  proxy.reset();
  expect(await open.ended).toBe('ECONNRESET');
});

test('cuts in the middle of a piece', async () => {
  const { socket, ended } = client();
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  socket.write('whole');
  await until(() => text === 'whole');
  proxy.fault = 'cut';
  socket.write('0123456789');
  expect(await ended).toMatch(/ECONNRESET|closed/);
  expect('whole01234'.startsWith(text)).toBe(true);
});

test('a black hole swallows what is sent', async () => {
  const hole = client();
  proxy.fault = 'blackhole';
  hole.socket.write('lost');
  await until(() => proxy.connections === 1 && hole.socket.bytesWritten === 4);
  proxy.fault = 'pass';
  const after = client();
  after.socket.write('found');
  await until(() => after.text === 'found');
  expect(hole.text).toBe('');
});

test('counts what a client sends before it is answered as one turn', async () => {
  const { socket, text: _ } = client();
  proxy.latency = 20;
  socket.write('a');
  await until(() => proxy.sends === 1);
  socket.write('b');
  await until(() => proxy.sends === 2);
  expect(proxy.turns).toBe(1);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.write('c');
  await until(() => proxy.sends === 3);
  expect(proxy.turns).toBe(2);
});
