import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from 'node:http2';
import { gzipSync } from 'node:zlib';
import protobuf from 'protobufjs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { randomFrom } from '../../../../../test/support/random.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { bindingOf, servedShop } from '../testing/bed.ts';

/** Calls that are made; `FUZZ_REQUESTS` makes it longer, `FUZZ_SEED` repeats a run. */
const count = Number(process.env['FUZZ_REQUESTS'] ?? 1500);
const seed = Number(process.env['FUZZ_SEED'] ?? 1);
/** Calls of one connection beside each other. */
const beside = 15;
/** Megabytes that the process may have grown by in the end. */
const mostGrowth = 200;

interface Sent {
  readonly headers: OutgoingHttpHeaders;
  readonly frames: readonly Buffer[];
  readonly isReset: boolean;
}

const rejections: unknown[] = [];
const onRejection = (reason: unknown) => void rejections.push(reason);
beforeEach(() => void process.on('unhandledRejection', onRejection));
afterEach(() => void process.off('unhandledRejection', onRejection));

/** Calls, frames and messages of a grammar that is mostly kept, and broken at random places. */
function generator(random: () => number) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const whole = (most: number) => Math.floor(random() * most);
  const bytes = (most: number) => Buffer.from(Array.from({ length: whole(most) }, () => whole(256)));
  const number = () => pick([0, 1, -1, 2 ** 31 - 1, -(2 ** 31), 2 ** 32 - 1, whole(1000)]);
  const text = () => pick(['', 'a', 'é💥', '\u0000', '\u202e', 'x'.repeat(whole(3000)), "'; DROP TABLE orders; --"]);
  /** Writes what a field holds, by its wire type. */
  const put: readonly ((writer: protobuf.Writer, depth: number) => void)[] = [
    (writer) => void writer.int64(number()),
    (writer) => void writer.double(pick([0, -0, Number.NaN, Number.POSITIVE_INFINITY, 1e308, 5e-324])),
    (writer, depth) => {
      if (depth < 12 && random() < 0.5) writer.bytes(message(depth + 1));
      else if (random() < 0.5) writer.string(text());
      else writer.bytes(bytes(40));
    },
    () => undefined,
    () => undefined,
    (writer) => void writer.fixed32(whole(2 ** 32)),
  ];
  /** The wire type of each field of an order. */
  const own = [0, 0, 2, 0, 2, 2, 2, 2, 2, 2, 1, 2, 0];
  const message = (depth = 0): Uint8Array => {
    const writer = protobuf.Writer.create();
    for (let left = whole(6); left > 0; left--) {
      const id = random() < 0.9 ? 1 + whole(12) : pick([0, 13, 100, 2 ** 28]);
      const wire = random() < 0.9 ? (own[id] ?? whole(6)) : whole(8);
      writer.uint32(((id << 3) | wire) >>> 0);
      put[wire]?.(writer, depth);
    }
    return broken(Buffer.from(writer.finish()));
  };
  const broken = (whole_: Buffer): Buffer => {
    if (whole_.length === 0 || random() > 0.15) return whole_;
    const at = whole(whole_.length);
    return pick([
      () => whole_.subarray(0, at),
      () => Buffer.concat([whole_.subarray(0, at), bytes(8), whole_.subarray(at)]),
      () => Buffer.concat([whole_.subarray(0, at), Buffer.from([255, 255, 255, 255, 15]), whole_.subarray(at)]),
    ])();
  };
  const frame = (): Buffer => {
    const content = Buffer.from(message());
    const isZipped = random() < 0.15;
    const body = isZipped ? broken(gzipSync(content)) : content;
    const head = Buffer.alloc(5);
    head[0] = isZipped ? 1 : pick([0, 0, 0, 0, 0, 0, 1, 2, 255]);
    head.writeUInt32BE(random() < 0.95 ? body.length : pick([0, 1, body.length + 1, 2 ** 31, 2 ** 32 - 1]), 1);
    return Buffer.concat([head, body]);
  };
  const path = () =>
    pick([
      ...Array<string>(8).fill('/shop.Shop/GetOrder'),
      ...['ListOrders', 'WatchOrders', 'SendOrders', 'SendOrders', 'Chat', 'None'].map((name) => `/shop.Shop/${name}`),
      '/grpc.health.v1.Health/Check',
      '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
      '/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo',
      '/',
      '/__proto__/constructor',
      '//',
    ]);
  const headers = (): OutgoingHttpHeaders => ({
    ':method': random() < 0.97 ? 'POST' : pick(['GET', 'PUT', 'OPTIONS']),
    ':path': path(),
    'content-type': random() < 0.95 ? 'application/grpc' : pick(['application/grpc+json', 'text/plain', '']),
    te: 'trailers',
    ...(random() < 0.2 && { 'grpc-timeout': pick(['1S', '50m', '0n', '99999999H', '-1S', 'x', '1']) }),
    ...(random() < 0.2 && { 'grpc-encoding': pick(['gzip', 'deflate', 'identity', 'br', '__proto__']) }),
    ...(random() < 0.1 && { 'grpc-accept-encoding': pick(['gzip', '', ',,', 'x']) }),
    ...(random() < 0.2 && { 'trace-bin': pick(['AQI=', 'AQI', '!!', '']) }),
    ...(random() < 0.2 && { traceparent: pick(['00-0-0-0', 'x'.repeat(200), '']) }),
    ...(random() < 0.1 && { authorization: pick(['Bearer x', 'Basic !!', '']) }),
    ...(random() < 0.05 && { __proto__x: 'a', 'x-long': 'y'.repeat(5000) }),
  });
  return (): Sent => ({
    headers: headers(),
    frames: Array.from({ length: random() < 0.8 ? 1 : whole(6) }, frame),
    isReset: random() < 0.05,
  });
}

/** Sends one call, and resolves with all that its caller can read, once its stream has ended. */
function asked(session: ClientHttp2Session, { headers, frames, isReset }: Sent): Promise<string> {
  return new Promise((resolve) => {
    let read = '';
    const stream = session.request(headers);
    stream.on('response', (head) => (read += JSON.stringify(head)));
    stream.on('trailers', (tail) => (read += JSON.stringify(tail)));
    stream.on('data', (piece: Buffer) => (read += piece.toString('latin1')));
    stream.on('error', () => undefined);
    stream.on('close', () => resolve(read));
    for (const frame of frames) stream.write(frame);
    if (isReset) stream.close(8);
    else stream.end();
  });
}

test('S-99: no call of a grammar ends the server, and none tells anything of its inside', {
  timeout: 900_000,
}, async () => {
  const echoed = ({ input: { headers: _, messages: __, ...input } }: Message) => reply(input);
  const flows = ['GetOrder', 'ListOrders', 'WatchOrders', 'SendOrders'].map((name) =>
    bindingOf(name, name === 'ListOrders' ? (message) => reply([message.input]) : echoed),
  );
  await using served = await servedShop(flows, { timeout: 5000 }, { production: true });
  const make = generator(randomFrom(seed));
  const before = process.memoryUsage.rss();
  const statuses = new Set<string>();
  let session: ClientHttp2Session | undefined;
  for (let made = 0; made < count; made += beside) {
    // A connection that the server has ended, since what came over it was malformed, is made again.
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(`http://127.0.0.1:${served.port}`);
      session.on('error', () => undefined);
    }
    const current = session;
    const answers = await Promise.all(Array.from({ length: beside }, () => asked(current, make())));
    for (const answer of answers) {
      expect(answer).not.toMatch(/node_modules|\.ts:\d|\.js:\d|\bat \w+ \(/);
      statuses.add(/"grpc-status":"?(\d+)/.exec(answer)?.[1] ?? 'none');
    }
  }
  session?.destroy();
  expect((await served.ask('GetOrder', { text: 'x' })).value).toEqual({ text: 'x' });
  expect(rejections).toEqual([]);
  expect(served.lines.filter(({ level }) => level === 'error')).toEqual([]);
  // It has reached flows, and what refuses.
  expect([...statuses]).toEqual(expect.arrayContaining(['0', '3', '12']));
  expect((process.memoryUsage.rss() - before) / 1024 ** 2).toBeLessThan(mostGrowth);
});
