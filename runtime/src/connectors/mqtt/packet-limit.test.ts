import { expect, test } from 'vitest';
import { placeholder } from '../intake/broker/passed-over.ts';
import { packetLimit } from './packet-limit.ts';
import { publishPacket } from './testing/raw-broker.ts';

const packet = (content: Buffer) => publishPacket(Buffer.from('t'), 1, content);

test.each([1, 2, 3, 7, 100_000])('a message that is too large is passed over: %i bytes at a time', (step) => {
  const around = Uint8Array.of(0x20, 2, 0, 0, 0xd0, 0);
  const [small, large] = [Buffer.alloc(195), Buffer.alloc(19_995)];
  const bytes = (...contents: readonly Buffer[]) => Buffer.concat([around, ...contents.map(packet), around]);
  const rewritten = (most: number) => {
    const limit = packetLimit(most, true);
    const whole = bytes(small, large, small, large);
    const pieces: Buffer[] = [];
    for (let at = 0; at < whole.length; at += step) pieces.push(limit.rewrite(whole.subarray(at, at + step)));
    return Buffer.concat(pieces);
  };
  expect(rewritten(20_000).equals(bytes(small, large, small, large))).toBe(true);
  const instead = placeholder(20_000);
  expect(rewritten(19_999).equals(bytes(small, instead, small, instead))).toBe(true);
});

test('A-04: a length without an end, and a packet that is not a message and too large, end the connection', () => {
  const problemOf = (bytes: readonly number[], passesOver = true) => {
    const limit = packetLimit(1_000, passesOver);
    return [[...limit.rewrite(Buffer.from([0xd0, 0, ...bytes]))], limit.problem?.message];
  };
  const ping = [0xd0, 0];
  const tooLarge = 'the broker sent a packet of more than 1000 bytes (max_message)';
  expect(problemOf([0x30, 0xff])).toEqual([ping, undefined]);
  expect(problemOf([0x30, ...new Array<number>(1_000).fill(0x80), 0x00])).toEqual([
    ping,
    'the broker sent a packet whose length has no end',
  ]);
  expect(problemOf([0x90, 0xff, 0xff, 0x7f])).toEqual([ping, tooLarge]);
  expect(problemOf([0x30, 0xff, 0x7f], false)).toEqual([ping, tooLarge]);
  expect(problemOf([0x30, 0xff, 0x7f, 0xff, 0xff])).toEqual([
    ping,
    'the broker sent a message whose topic is longer than it',
  ]);
});
