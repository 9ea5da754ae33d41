import fc from 'fast-check';
import { expect, test } from 'vitest';
import { duration, lifetime } from '../schema/index.ts';
import { coerce } from './coerce.ts';
import { parseDuration } from './duration.ts';

test.each([
  [0, 0],
  [5, 5_000],
  [0.0004, 1],
  ['0s', 0],
  ['100us', 1],
  ['1500us', 2],
  ['1ns', 1],
  ['1.0005s', 1_001],
  ['0.1s', 100],
  ['4.35s', 4_350],
  ['1h30m', 5_400_000],
  ['2w3d', 1_468_800_000],
  ['36500d', 3_153_600_000_000],
  ['36500d1s', undefined],
  [1e300, undefined],
  [`${'9'.repeat(400)}s`, undefined],
  [-1, undefined],
  [Number.NaN, undefined],
  ['-5s', undefined],
  ['', undefined],
  ['5 m', undefined],
  ['5y', undefined],
])('%s is %s ms', (written, milliseconds) => {
  expect(parseDuration(written)).toBe(milliseconds);
});

test('whatever is written as a duration is whole milliseconds', () => {
  const amount = fc.double({ min: 0, max: 1e9, noNaN: true }).map((number) => number.toFixed(9));
  const unit = fc.constantFrom('', 'ns', 'us', 'ms', 's', 'm', 'h', 'd', 'w');
  fc.assert(
    fc.property(amount, unit, (number, each) => {
      const milliseconds = parseDuration(`${number}${each}`);
      if (milliseconds === undefined) return;
      expect([Number.isSafeInteger(milliseconds), milliseconds > 0]).toEqual([true, Number(number) > 0]);
    }),
  );
});

test('what a timer measures is at most 24 days, what is kept a hundred years', () => {
  const tooLong = (most: string) => ({ code: 'out-of-bounds', part: '', problem: `must be at most ${most}` });
  const [wait, kept] = [duration('Wait.'), lifetime('Life.')];
  expect([coerce('24d', wait), coerce('25d', wait), coerce('5m', duration('Wait.', { max: 1000 }))]).toMatchObject([
    { value: 2_073_600_000 },
    tooLong('24d'),
    tooLong('1s'),
  ]);
  expect([coerce('365d', kept), coerce('36501d', kept)]).toMatchObject([
    { value: 31_536_000_000 },
    { code: 'malformed-duration', help: 'Write a duration such as "500ms", "30s" or "1h30m", at most "36500d".' },
  ]);
});
