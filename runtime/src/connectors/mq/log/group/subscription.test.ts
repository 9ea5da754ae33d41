import kafkajs from 'kafkajs';
import { expect, test } from 'vitest';
import { readSubscription, writeSubscription } from './subscription.ts';

const nothing = { topics: [], owned: {}, generation: -1 };

test('what a member says of itself is read as it was written', () => {
  const said = { topics: ['orders', 'größen'], owned: { orders: [0, 7], größen: [2] }, generation: 12 };
  expect(readSubscription(writeSubscription(said))).toEqual(said);
});

test('a program that knows version 0 alone reads its topics, and what it says owns nothing', () => {
  const { MemberMetadata } = kafkajs.AssignerProtocol;
  const written = writeSubscription({ topics: ['orders'], owned: { orders: [1] }, generation: 3 });
  expect(MemberMetadata.decode(written)).toEqual({
    version: 1,
    topics: ['orders'],
    userData: Buffer.from([0, 0, 0, 3]),
  });
  const foreign = MemberMetadata.encode({ version: 0, topics: ['orders'], userData: Buffer.alloc(0) });
  expect(readSubscription(foreign)).toEqual({ topics: ['orders'], owned: {}, generation: -1 });
});

test('later versions say the generation behind what is owned, and more behind that', () => {
  const version1 = writeSubscription({ topics: ['orders'], owned: { orders: [1] }, generation: 3 });
  const version3 = Buffer.concat([Buffer.from([0, 3]), version1.subarray(2), Buffer.from([0, 0, 0, 9, 255, 255])]);
  expect(readSubscription(version3)).toEqual({ topics: ['orders'], owned: { orders: [1] }, generation: 9 });
});

test('what cannot be read subscribes to nothing', () => {
  const whole = writeSubscription({ topics: ['orders'], owned: { orders: [1] }, generation: 3 });
  for (let end = 0; end < whole.length; end++) expect(readSubscription(whole.subarray(0, end))).toEqual(nothing);
  const huge = Buffer.from([0, 1, 127, 255, 255, 255, 0, 0]);
  expect(readSubscription(huge)).toEqual(nothing);
});
