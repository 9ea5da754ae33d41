import { expect, test } from 'vitest';
import { counted, prefixed } from './frames.ts';
import { jsonFrame } from './testing/talker.ts';

const most = 1 << 20;
const texts = ['a', '{"x":1}', 'ü'.repeat(300), 'x'.repeat(5_000), '😀'];

test.each([1, 2, 3, 7, 64, 100_000])('A-04: messages are read from pieces of %d bytes', (size) => {
  for (const framing of [prefixed, counted]) {
    const sent = framing === prefixed ? texts : texts.map((text) => JSON.stringify(text));
    const frames = sent.map((text) =>
      framing === prefixed ? framing.frame(Buffer.from(text)) : Buffer.from(`${text.length}#${text}`),
    );
    const stream = Buffer.concat([...frames, ...frames]);
    const reader = framing.reader(most);
    const read: string[] = [];
    for (let at = 0; at < stream.length; at += size)
      read.push(...reader.take(stream.subarray(at, at + size)).map(String));
    expect(read).toEqual([...sent, ...sent]);
    expect(reader.isBegun).toBe(false);
  }
});

test('messages stay what they were while others come', () => {
  const reader = prefixed.reader(most);
  const kept: Buffer[] = [];
  const stream = Buffer.concat(Array.from({ length: 500 }, (_, at) => jsonFrame({ at })));
  for (let at = 0; at < stream.length; at += 10) kept.push(...reader.take(stream.subarray(at, at + 10)));
  expect(kept.map(String)).toEqual(Array.from({ length: 500 }, (_, at) => `{"at":${at}}`));
});

test.each([
  ['a length of 0', prefixed, Buffer.from([0, 0, 0, 0]), 'a message has a length of 0'],
  ['a length of 4 GB', prefixed, Buffer.from([255, 255, 255, 255]), 'a message has at most 1000 bytes (max_message)'],
  ['one byte too many', prefixed, Buffer.from([0, 0, 3, 233]), 'a message has at most 1000 bytes (max_message)'],
  ['a length of 0', counted, Buffer.from('0#'), 'a message has a length of 0'],
  ['no length', counted, Buffer.from('#{}'), 'a message does not begin with its length and #'],
  ['no digits', counted, Buffer.from('GET / HTTP/1.1'), 'a message does not begin with its length and #'],
  ['too many digits', counted, Buffer.from('0000000002#{}'), 'a message does not begin with its length and #'],
  ['too large', counted, Buffer.from('1001#'), 'a message has at most 1000 bytes (max_message)'],
  ['no UTF-8', counted, Buffer.from([0x31, 0x23, 0xff]), 'a message is not UTF-8'],
] as const)('A-04: %s is refused', (_, framing, bytes, message) => {
  expect(() => framing.reader(1_000).take(bytes as Buffer)).toThrow(message);
});

test('A-06: a length that is promised and does not come takes no memory', () => {
  const readers = Array.from({ length: 1_000 }, () => prefixed.reader(16 * 1024 * 1024));
  const before = process.memoryUsage().rss;
  for (const reader of readers) reader.take(Buffer.from([0, 255, 255, 255, 1]));
  expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024);
  expect(readers.every(({ isBegun }) => isBegun)).toBe(true);
});
