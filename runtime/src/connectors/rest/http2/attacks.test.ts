import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import {
  encoded,
  endsHeaders,
  endsStream,
  fieldsOf,
  frame,
  literal,
  numbered,
  padded,
  preface,
  RawCaller,
  request,
} from '../../../platform/http/testing/http2-frames.ts';
import { binding, echo, reply, type Served, served } from '../testing/served.ts';

/** `GET` or `POST` of a path of fewer than 127 bytes. */
const head = (method: 'GET' | 'POST', path: string) => encoded(fieldsOf(method, path));

const start = (config: Record<string, unknown> = {}) =>
  served(
    [
      binding('GET /a', echo),
      binding('POST /a', echo),
      binding(
        'GET /never',
        (message) =>
          new Promise((resolve) => {
            message.signal()?.addEventListener('abort', () => resolve(reply({})));
          }),
      ),
    ],
    { config: { http2: true, ...config } },
  );

async function isServing(service: Served): Promise<void> {
  expect(await service.ask('/a').then(({ status }) => status)).toBe(200);
}

test('S-65, A-05: streams that are reset as soon as they are opened end their connection, and their flows are bounded', async () => {
  await using service = await start({ max_in_flight: 20 });
  const attacker = new RawCaller(service.port);
  await attacker.flood((round) =>
    Buffer.concat(
      Array.from({ length: 100 }, (_, index) => {
        const stream = 2 * (round * 100 + index) + 1;
        return Buffer.concat([request(stream, 'GET', '/never'), frame('reset', 0, stream, numbered(8))]);
      }),
    ),
  );
  await service.idle();
  expect(service.started.length).toBeLessThan(2_000);
  expect(service.finished.length).toBe(service.started.length);
  await isServing(service);
});

/** Frames by which a caller makes this side reset a stream, whose flow is then under way for nothing. */
const provocations: readonly (readonly [string, (stream: number) => Uint8Array])[] = [
  ['a window of nothing', (stream) => frame('window', 0, stream, numbered(0))],
  ['a window without bounds', (stream) => repeated(2, frame('window', 0, stream, numbered(0x7fffffff)))],
  ['a body behind the end', (stream) => frame('data', 0, stream, Buffer.from('x'))],
  ['headers behind the end', (stream) => frame('headers', endsStream | endsHeaders, stream, head('GET', '/a'))],
  [
    'a priority below itself',
    (stream) => frame('priority', 0, stream, Buffer.concat([numbered(stream), Buffer.from([1])])),
  ],
  ['a priority of no length', (stream) => frame('priority', 0, stream)],
];

test.each(provocations)('S-65, A-05: streams that are reset because of %s end their connection', async (_, provoke) => {
  await using service = await start({ max_in_flight: 20 });
  const attacker = new RawCaller(service.port);
  await attacker.flood((round) =>
    Buffer.concat(
      Array.from({ length: 100 }, (_, index) => {
        const stream = 2 * (round * 100 + index) + 1;
        return Buffer.concat([request(stream, 'GET', '/never'), provoke(stream)]);
      }),
    ),
  );
  await service.idle();
  expect(service.started.length).toBeLessThan(2_000);
  expect(service.finished.length).toBe(service.started.length);
  await isServing(service);
});

const floods: readonly (readonly [string, (round: number) => Uint8Array])[] = [
  ['pings', () => repeated(100, frame('ping', 0, 0, Buffer.alloc(8)))],
  ['settings', () => repeated(100, frame('settings', 0, 0))],
  ['settings with values', () => repeated(100, frame('settings', 0, 0, Buffer.from([0, 4, 0, 0, 255, 255])))],
  ['priorities', () => repeated(100, frame('priority', 0, 1, Buffer.alloc(5, 3)))],
  ['windows', () => repeated(100, frame('window', 0, 0, numbered(0)).fill(1, 12))],
  ['unknown frames', () => repeated(100, unknown())],
  ['empty pieces of a body', (round) => (round === 0 ? request(1, 'POST') : repeated(100, frame('data', 0, 1)))],
  [
    'padding instead of a body',
    (round) =>
      round === 0 ? request(1, 'POST') : repeated(100, frame('data', padded, 1, Buffer.alloc(256).fill(255, 0, 1))),
  ],
  [
    'continuations of headers',
    (round) =>
      round === 0
        ? frame('headers', 0, 1, head('GET', '/a'))
        : repeated(4, frame('continuation', 0, 1, literal('x', 'y'))),
  ],
  [
    'resets of a stream',
    (round) => (round === 0 ? request(1, 'POST') : repeated(100, frame('reset', 0, 1, numbered(8)))),
  ],
];

function repeated(count: number, part: Uint8Array): Buffer {
  return Buffer.concat(Array.from({ length: count }, () => part));
}

function unknown(): Buffer {
  const bytes = frame('ping', 0, 0, Buffer.alloc(8));
  bytes[3] = 0x77;
  return bytes;
}

test.each(floods)('S-65, A-05: a flood of %s ends its connection', async (_, part) => {
  await using service = await start();
  const attacker = new RawCaller(service.port);
  await attacker.flood(part);
  await isServing(service);
});

test('A-06 headers that a table makes large are refused before they are made', async () => {
  await using service = await start();
  const attacker = new RawCaller(service.port);
  const value = Buffer.alloc(3_900, 'v');
  // Into the table, with a length of more than 127 bytes.
  const indexed = Buffer.concat([Buffer.from([0x40, 1]), Buffer.from('b'), Buffer.from([0x7f, 0xbd, 0x1d]), value]);
  attacker.send(frame('headers', endsHeaders | endsStream, 1, Buffer.concat([head('GET', '/a'), indexed])));
  const bomb = Buffer.concat([head('GET', '/a'), Buffer.alloc(12_000, 0x80 | 62)]);
  const before = process.memoryUsage().rss;
  for (let stream = 3; stream < 60; stream += 2)
    attacker.send(frame('headers', endsHeaders | endsStream, stream, bomb));
  attacker.send(request(61));
  await expect.poll(() => attacker.isClosed || service.finished.length >= 2, { timeout: 20_000 }).toBe(true);
  // Each would be 47 MB.
  expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  expect(service.started.length).toBeLessThan(3);
  attacker.end();
  await isServing(service);
});

test('A-04 a connection that says nothing, a part of the preface or of a head ends when its time is over', async () => {
  await using service = await start({ read_timeout: 300, idle_timeout: 300 });
  for (const bytes of ['', 'PRI * HT', preface, preface + frame('settings', 0, 0).toString('latin1')]) {
    const socket = connect(service.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.resume();
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(bytes, 'latin1');
    await closed;
  }
  const attacker = new RawCaller(service.port);
  attacker.send(frame('headers', 0, 1, head('GET', '/a')));
  await attacker.closed;
  await expect.poll(() => service.listener.connections).toBe(0);
});

test.each(['end', 'cut'] as const)(
  'A-04 a caller that is gone (%s) in the middle of its answers frees all of them',
  async (way) => {
    await using service = await start();
    for (let round = 0; round < 5; round++) {
      const attacker = new RawCaller(service.port);
      for (let stream = 1; stream < 81; stream += 4)
        attacker.send(request(stream, 'GET', '/never'), request(stream + 2, 'POST'));
      await expect.poll(() => service.started.length).toBe(40 * (round + 1));
      attacker[way]();
    }
    await service.idle();
    await expect.poll(() => service.listener.connections).toBe(0);
    await isServing(service);
  },
);

test.each([
  ['bytes that are not frames', Buffer.alloc(50_000, 'x')],
  ['a frame that is longer than allowed', frame('data', 0, 1, Buffer.alloc(100_000))],
  ['a body without a request', frame('data', 0, 1, Buffer.alloc(10))],
  ['a header table that is broken', frame('headers', endsHeaders | endsStream, 1, Buffer.alloc(200, 0xff))],
  ['a stream of the server', request(2)],
])('A-04 %s: the connection ends, and nothing else', async (_, bytes) => {
  await using service = await start();
  const attacker = new RawCaller(service.port);
  attacker.send(bytes);
  await attacker.closed;
  await isServing(service);
});

test('A-05 connections beyond `max_connections` are closed, whatever those within it do', async () => {
  await using service = await start({ max_connections: 2 });
  const within = [new RawCaller(service.port), new RawCaller(service.port)];
  for (const caller of within) caller.send(request(1, 'GET', '/never'));
  await expect.poll(() => service.started.length).toBe(2);
  const beyond = new RawCaller(service.port);
  beyond.send(request(1));
  await beyond.closed;
  expect(beyond.frames).toEqual([]);
  within[0]?.send(request(3));
  await expect.poll(() => within[0]?.outcomeOf(3)).toBe('{"headers":{"host":"x"}}');
  within[1]?.end();
  await expect.poll(() => service.listener.connections).toBe(1);
  await isServing(service);
  within[0]?.end();
});

test('what is refused before it is a request is a problem where all errors are', async () => {
  await using service = await start({ errors: 'problem' });
  await using session = openHttp2(service.url);
  const { status, headers, text } = await askHttp2(session, { ':path': '/a', host: 'a', ':authority': 'b' });
  expect([status, headers['content-type'], JSON.parse(text)]).toEqual([
    400,
    'application/problem+json; charset=utf-8',
    {
      title: 'Bad Request',
      status: 400,
      detail: 'the host header names another host than the request',
      code: 'malformed',
    },
  ]);
});
