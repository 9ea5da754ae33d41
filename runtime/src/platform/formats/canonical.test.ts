import { CelDuration, CelOptional, CelTimestamp, CelUint, Fields } from '@svc/protocol/cel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalDigest } from './canonical.ts';

const digest = (value: unknown) => canonicalDigest(value, 'unordered');
const ordered = (value: unknown) => canonicalDigest(value, 'ordered');

/** Plain data, numbers and texts of every kind. */
const data = fc.jsonValue({ depthSize: 'small' });

/** The same value with the members of its maps, and with `lists` the elements of its lists, the other way round. */
function reversed(value: unknown, lists: boolean): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => reversed(item, lists));
    return lists ? items.reverse() : items;
  }
  if (typeof value !== 'object' || value === null) return value;
  const copy = new Fields();
  for (const [name, item] of Object.entries(value).reverse()) copy[name] = reversed(item, lists);
  return copy;
}

/** Another way of saying when values are the same. */
function normal(value: unknown, lists: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map((item) => normal(item, lists));
    return `[${(lists ? items.sort() : items).join()}]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(Object.is(value, -0) ? 0 : value);
  const members = Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}:${normal(item, lists)}`);
  return `{${members.sort().join()}}`;
}

describe('a canonical digest', () => {
  test('is 64 hexadecimal digits, the same in every version', () => {
    expect(digest({ b: [2, 'é', null], a: 1.5 })).toBe(
      digest(
        new Map<string, unknown>([
          ['a', 1.5],
          ['b', ['é', null, 2n]],
        ]),
      ),
    );
    expect(digest({ price: 12, tags: ['a', 'b'] })).toMatchInlineSnapshot(
      `"630ed8e0ba922a45ff1fa6cb1500b8579f22a017e9987849125adffe720c037a"`,
    );
  });

  test('does not depend on the order of members, nor of elements where that is asked', () => {
    fc.assert(
      fc.property(data, (value) => {
        expect(digest(reversed(value, true))).toBe(digest(value));
        expect(ordered(reversed(value, false))).toBe(ordered(value));
      }),
    );
  });

  test('differs exactly where the values do', () => {
    const pairs = fc.oneof(
      fc.tuple(data, data),
      data.map((value) => [value, reversed(value, true)] as const),
    );
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        expect(digest(a) === digest(b)).toBe(normal(a, true) === normal(b, true));
        expect(ordered(a) === ordered(b)).toBe(normal(a, false) === normal(b, false));
      }),
    );
  });

  test('of small values of every kind differ, nested or not', () => {
    const values: unknown[] = [
      undefined,
      null,
      '',
      'null',
      '0',
      false,
      true,
      0,
      1,
      1.5,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2n ** 63n,
      [],
      [null],
      [[]],
      [undefined],
      {},
      { a: null },
      { a: '' },
      { '': '' },
      new Map([[1n, '']]),
      new Map([[true, '']]),
      new Uint8Array(),
      Uint8Array.of(0),
      CelTimestamp.fromMilliseconds(0),
      new CelDuration(0n),
      CelOptional.none,
      CelOptional.of(null),
      '\ud800',
      '\udbff',
      '\ufffd',
      '"\\ud800"',
      'aé',
      'aÃ©',
    ];
    const all = [...values, ...values.map((value) => [1, value]), ...values.map((value) => ({ b: value, c: 1 }))];
    // Absent members do not count.
    expect(new Set(all.map(digest)).size).toBe(all.length);
    expect(digest({ a: undefined })).toBe(digest({}));
  });

  test('takes numbers by their value, whatever kind they are', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), (number) => {
        expect(digest(BigInt(number))).toBe(digest(number));
        expect(digest(new CelUint(BigInt(number)))).toBe(digest(number));
        expect(digest(number + 0.5) === digest(number)).toBe(Number.isInteger(number + 0.5) && number + 0.5 === number);
      }),
    );
    expect([digest(-0), digest(1e300)]).toEqual([digest(0n), digest(BigInt(1e300))]);
    expect(digest(new Date(5))).toBe(digest(CelTimestamp.fromMilliseconds(5)));
  });
});
