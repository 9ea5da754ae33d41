import { expect, test } from 'vitest';
import { FrameLimit, type Frames } from './frame-limit.ts';

function frame({ before = 0, countsItself }: Partial<Frames>, content: number): Buffer {
  const head = Buffer.alloc(before + 4, 0x64);
  head.writeUInt32BE(content + (countsItself ? 4 : 0), before);
  return Buffer.concat([head, Buffer.alloc(content, 0xff)]);
}

const kinds: readonly Omit<Frames, 'most'>[] = [{}, { before: 1, countsItself: true }];

test.each(kinds)('messages up to the limit pass in any pieces, a longer one at its length: %o', (kind) => {
  const bytes = Buffer.concat([3, 0, 10].map((content) => frame(kind, content)));
  for (let size = 1; size <= bytes.length; size++) {
    const limit = new FrameLimit({ ...kind, most: 10 });
    for (let at = 0; at < bytes.length; at += size) expect(limit.admits(bytes.subarray(at, at + size))).toBe(true);
    const { length } = frame(kind, 0);
    const longer = frame(kind, 11).subarray(0, length);
    expect([limit.admits(longer.subarray(0, length - 1)), limit.admits(longer.subarray(length - 1))]).toEqual([
      true,
      false,
    ]);
  }
});

test('a length of nothing, or below what it counts, has no content', () => {
  const limit = new FrameLimit({ most: 0, before: 1, countsItself: true });
  expect(limit.admits(Buffer.from('d\0\0\0\0d\0\0\0\x04d\0\0\0\x01', 'latin1'))).toBe(true);
});
