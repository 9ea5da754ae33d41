import { expect, test } from 'vitest';
import { placeholder } from '../../intake/broker/passed-over.ts';
import { PacketLimit } from './packet-limit.ts';
import { publishPacket } from './testing/raw-broker.ts';

const packet = (content: Buffer) => publishPacket(Buffer.from('t'), 1, content);

test.each([1, 2, 3, 7, 100_000])(
  'a message that is too large is passed over, wherever its bytes are divided: %i at a time',
  (step) => {
    const around = Uint8Array.of(0x20, 2, 0, 0, 0xd0, 0);
    const [small, large] = [Buffer.alloc(195), Buffer.alloc(19_995)];
    const bytes = (...contents: readonly Buffer[]) => Buffer.concat([around, ...contents.map(packet), around]);
    const rewritten = (most: number, passesOver = true) => {
      const limit = new PacketLimit(most, passesOver);
      const whole = bytes(small, large, small, large);
      const pieces: Buffer[] = [];
      for (let at = 0; at < whole.length; at += step) pieces.push(limit.rewrite(whole.subarray(at, at + step)));
      return Buffer.concat(pieces);
    };
    expect(rewritten(20_000).equals(bytes(small, large, small, large))).toBe(true);
    const instead = placeholder(20_000);
    expect(rewritten(19_999).equals(bytes(small, instead, small, instead))).toBe(true);
    expect(() => rewritten(19_999, false)).toThrow('the broker sent a packet of more than 19999 bytes (max_message)');
  },
);

test('A-04: a length without an end, and a packet that is no message and too large, end the connection', () => {
  const rewrite =
    (...bytes: readonly number[]) =>
    () =>
      new PacketLimit(1_000, true).rewrite(Buffer.from(bytes));
  expect(rewrite(0x30, 0xff)).not.toThrow();
  expect(rewrite(0x30, ...new Array<number>(1_000).fill(0x80), 0x00)).toThrow(
    'the broker sent a packet whose length has no end',
  );
  expect(rewrite(0x90, 0xff, 0xff, 0x7f)).toThrow('the broker sent a packet of more than 1000 bytes (max_message)');
  expect(rewrite(0x30, 0xff, 0x7f, 0xff, 0xff)).toThrow('the broker sent a message whose topic is longer than it');
});
