import { expect, test } from 'vitest';
import { PacketLimit } from './packet-limit.ts';
import { publishPacket } from './testing/raw-broker.ts';

const packet = (bytes: number) => publishPacket(Buffer.from('t'), 1, Buffer.alloc(bytes - 5));

test.each([1, 2, 3, 7, 100_000])('packets are followed wherever their bytes are divided: %i at a time', (step) => {
  const bytes = Buffer.concat([Uint8Array.of(0x20, 2, 0, 0, 0xd0, 0), packet(200), packet(20_000), packet(5)]);
  const admitsAll = (most: number) => {
    const limit = new PacketLimit(most);
    for (let at = 0; at < bytes.length; at += step) if (!limit.admits(bytes.subarray(at, at + step))) return false;
    return true;
  };
  expect([admitsAll(20_000), admitsAll(19_999), admitsAll(200)]).toEqual([true, false, false]);
});

test('A-04: a length without an end is refused at the byte that makes it too large', () => {
  const limit = new PacketLimit(1_000);
  expect(limit.admits(Uint8Array.of(0x30, 0xff))).toBe(true);
  expect(limit.admits(Uint8Array.of(0xff))).toBe(false);
  const zeros = new PacketLimit(1_000);
  expect(zeros.admits(Uint8Array.of(0x30, ...new Array<number>(1_000).fill(0x80), 0x00, 0xd0, 0x00))).toBe(true);
});
