import { encode } from '@msgpack/msgpack';
import { expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { reportOf } from '../../../foundation/errors/report.ts';
import { envelopesOf } from './of-protocol.ts';

const failed = (text: string) => reportOf(new Failure('value_refused', text), false);

const now = 1_700_000_000_900;

async function failure(work: () => unknown): Promise<Failure> {
  try {
    await work();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  return expect.fail('it was taken');
}

test.each(['json', 'msgpack', 'raw', 'nestjs'])(
  '%s: what a client sends, a server reads, and answers to it',
  async (name) => {
    const envelopes = await envelopesOf(name);
    const data = { text: 'grüße 😀', n: 3, list: [1, null, { a: true }] };
    const request = await envelopes.readRequest(Buffer.from(envelopes.request('weigh', data, '7', now)));
    expect(request).toMatchObject({ type: 'weigh', isEvent: false });
    expect(request.data).toEqual(data);
    const answered = async (value: unknown) => envelopes.readReply(Buffer.from(request.answer(value, now)));
    expect(await answered({ ok: [1, 2] })).toEqual({ id: '7', error: undefined, data: { ok: [1, 2] } });
    expect(await envelopes.readReply(Buffer.from(request.refuse(failed('no room'), now)))).toMatchObject({
      id: '7',
      error: 'no room',
    });
    expect((await answered([1])).data).toEqual({ result: [1] });
  },
);

test('json: an answer has the id of its request and a time, nothing is success, a message without id gets none', async () => {
  const envelopes = await envelopesOf('json');
  const read = async (text: string) => envelopes.readRequest(Buffer.from(text));
  const timestamp = 1_700_000_000;
  const answer = async (text: string, value: unknown) =>
    JSON.parse(String(Buffer.from((await read(text)).answer(value, now)))) as unknown;
  expect(await answer('{"type":"a","id":"x"}', null)).toEqual({
    type: 'response',
    id: 'x',
    data: { success: true },
    timestamp,
  });
  expect(await answer('{"type":"a"}', 5)).toEqual({ type: 'response', data: { result: 5 }, timestamp });
});

test('msgpack: who writes the names of Go is answered with them, all of them', async () => {
  const envelopes = await envelopesOf('msgpack');
  const { decode } = await import('@msgpack/msgpack');
  const request = await envelopes.readRequest(
    Buffer.from(encode({ Type: 'weigh', ID: '7', Data: { text: 'x' }, Error: '', Timestamp: 5 })),
  );
  expect(request).toMatchObject({ type: 'weigh', data: { text: 'x' } });
  const timestamp = 1_700_000_000;
  expect(decode(request.answer({ a: 1 }, now) as Uint8Array)).toEqual({
    Type: 'response',
    ID: '7',
    Data: { a: 1 },
    Error: '',
    Timestamp: timestamp,
  });
  expect(decode(request.refuse(failed('no'), now) as Uint8Array)).toEqual({
    Type: 'error',
    ID: '7',
    Data: null,
    Error: 'no',
    Timestamp: timestamp,
  });
});

test('nestjs: patterns are named by their word, and by their JSON with sorted keys; what is sent is ASCII', async () => {
  const envelopes = await envelopesOf('nestjs');
  const typeOf = async (pattern: unknown) =>
    (await envelopes.readRequest(Buffer.from(JSON.stringify({ pattern, data: 1, id: 'x' })))).type;
  expect(await typeOf('sum')).toBe('sum');
  expect(await typeOf({ cmd: 'sum' })).toBe('sum');
  expect(await typeOf({ role: 'b', cmd: 'a' })).toBe('{"cmd":"a","role":"b"}');
  const sent = Buffer.from(envelopes.request('{"cmd":"sum"}', { text: 'ü😀' }, 'x', now));
  expect(JSON.parse(String(sent))).toEqual({ pattern: { cmd: 'sum' }, data: { text: 'ü😀' }, id: 'x' });
  expect(sent.every((byte) => byte < 128)).toBe(true);
  expect(await envelopes.readRequest(Buffer.from('{"pattern":"gone","data":{}}'))).toMatchObject({ isEvent: true });
});

test.each([
  ['json', Buffer.from('[]')],
  ['json', Buffer.from('{"type":""}')],
  ['json', Buffer.from('{"type":"a","id":{}}')],
  ['json', Buffer.from('not json')],
  ['json', Buffer.from('['.repeat(5_000))],
  ['nestjs', Buffer.from('{"pattern":null,"id":"x"}')],
  ['nestjs', Buffer.from('{"pattern":"a","id":5}')],
  ['msgpack', Buffer.from(encode({ type: 5 }))],
  ['msgpack', Buffer.from([0xc1])],
  ['msgpack', Buffer.from([0xdd, 0xff, 0xff, 0xff, 0xff])],
  ['msgpack', Buffer.from([0xdf, 0x7f, 0xff, 0xff, 0xff, 1])],
  ['msgpack', Buffer.from([0xc6, 0xff, 0xff, 0xff, 0xff])],
  ['msgpack', Buffer.concat([Buffer.alloc(5_000, 0x91), Buffer.from([0])])],
  ['msgpack', Buffer.from([1, 1])],
  ['msgpack', Buffer.from([0x81, 0xa4, 0x74, 0x79, 0x70, 0x65])],
  ['msgpack', Buffer.from(encode({ __proto__x: 1, type: 'a', data: new Array(200_000).fill(0) }))],
] as const)('S-100: %s %j is refused with what is wrong', async (name, bytes) => {
  const envelopes = await envelopesOf(name);
  const refused = await failure(() => envelopes.readRequest(bytes as Buffer));
  expect(['body_undecodable', 'body_too_large']).toContain(refused.code);
});

test('S-58: keys that mean something to JavaScript change nothing', async () => {
  const bodies = ['{"__proto__":{"isAdmin":true}}', '{"constructor":{"prototype":{"isAdmin":true}}}'];
  for (const body of bodies) {
    const request = await (await envelopesOf('json')).readRequest(Buffer.from(`{"type":"a","data":${body}}`));
    expect(Object.keys(request.data as object)).toHaveLength(1);
  }
  // A map with one key, written by hand: libraries refuse to write it.
  const key = Buffer.from('__proto__');
  const inner = Buffer.concat([Buffer.from([0x81, 0xa0 | key.length]), key, encode({ isAdmin: true })]);
  const map = Buffer.concat([Buffer.from([0x82]), encode('type'), encode('a'), encode('data'), inner]);
  expect((await failure(async () => (await envelopesOf('msgpack')).readRequest(map))).code).toBe('body_undecodable');
  expect(({} as { isAdmin?: unknown }).isAdmin).toBeUndefined();
});

test('A-06: arrays in arrays that each promise a million items take neither time nor memory', async () => {
  const levels = Buffer.concat(Array.from({ length: 90 }, () => Buffer.from([0xdd, 0, 15, 0x42, 0x40])));
  const before = process.memoryUsage().rss;
  const { code } = await failure(async () =>
    (await envelopesOf('msgpack')).readRequest(Buffer.concat([levels, Buffer.alloc(1_000_000)])),
  );
  expect(['body_undecodable', 'body_too_large']).toContain(code);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
});
