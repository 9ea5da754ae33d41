import { expect, test } from 'vitest';
import { passedOverIn, ResponseLimit } from './response-limit.ts';

/** A request: its length, what it asks for, a version and its number. */
function request(api: number, correlation: number): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeInt32BE(8, 0);
  bytes.writeInt16BE(api, 4);
  bytes.writeInt32BE(correlation, 8);
  return bytes;
}

function answer(correlation: number, body: Buffer): Buffer {
  const bytes = Buffer.alloc(8 + body.length);
  bytes.writeInt32BE(4 + body.length, 0);
  bytes.writeInt32BE(correlation, 4);
  body.copy(bytes, 8);
  return bytes;
}

const [fetch, metadata] = [1, 3];

test.each([1, 2, 3, 7, 100_000])(
  'an answer to a fetch that is too large is passed over: %i bytes at a time',
  (step) => {
    const [small, large] = [Buffer.alloc(96, 's'), Buffer.alloc(200, 'l')];
    const limit = new ResponseLimit(100);
    for (const correlation of [1, 2, 3]) limit.asked(request(correlation === 3 ? metadata : fetch, correlation));
    const all = Buffer.concat([answer(1, small), answer(2, large), answer(3, small)]);
    const pieces: Buffer[] = [];
    for (let at = 0; at < all.length; at += step) pieces.push(limit.rewrite(all.subarray(at, at + step)));
    const rewritten = Buffer.concat(pieces);
    const before = answer(1, small);
    const behind = answer(3, small);
    expect(rewritten.subarray(0, before.length).equals(before)).toBe(true);
    expect(rewritten.subarray(-behind.length).equals(behind)).toBe(true);
    const instead = rewritten.subarray(before.length, -behind.length);
    expect([instead.readInt32BE(0), instead.readInt32BE(4)]).toEqual([instead.length - 4, 2]);
    expect(passedOverIn(instead.subarray(8))).toEqual({ bytes: 204, head: large });
    expect([passedOverIn(small), limit.problem]).toEqual([undefined, undefined]);
  },
);

test('A-04: another answer that is too large ends the connection before it has come', () => {
  const limit = new ResponseLimit(100);
  limit.asked(request(metadata, 1));
  expect(limit.rewrite(answer(1, Buffer.alloc(200)).subarray(0, 8))).toEqual(Buffer.alloc(0));
  expect(limit.problem?.message).toBe('a broker sent a response of more than 100 bytes (max_response)');
});
