import { describe, expect, test } from 'vitest';
import { CelDuration } from './duration.ts';
import { toJson } from './json.ts';
import { MapBuilder } from './map.ts';
import { CelOptional } from './optional.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelTypeValue } from './type-value.ts';
import { CelUint } from './uint.ts';

describe('values as JSON', () => {
  test.each([
    [5n, 5],
    [-9007199254740991n, -9007199254740991],
    [9007199254740992n, '9007199254740992'],
    [new CelUint(18446744073709551615n), '18446744073709551615'],
    [1.5, 1.5],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    ['a', 'a'],
    [true, true],
    [null, null],
    [undefined, null],
    [Uint8Array.of(0, 255), 'AP8='],
    [CelTimestamp.parse('2025-03-01T08:15:00.5+01:00'), '2025-03-01T07:15:00.5Z'],
    [new Date(0), '1970-01-01T00:00:00Z'],
    [CelDuration.parse('-1h0.5s'), '-3600.5s'],
    [CelOptional.none, null],
    [CelOptional.of(1n), 1],
    [new CelTypeValue('int'), 'int'],
    [
      new Map<unknown, unknown>([
        [1, 1n],
        ['a', [2n]],
        [true, null],
      ]),
      { 1: 1, a: [2], true: null },
    ],
    [{ a: { b: [1n, { c: 2n }] }, d: undefined }, { a: { b: [1, { c: 2 }] } }],
    [() => 1, null],
  ])('%o', (value, json) => {
    expect(toJson(value)).toEqual(json);
  });

  test('plain data is not copied', () => {
    const data = { list: [1, 'a', { b: null }] };
    expect(toJson(data)).toBe(data);
  });

  test('keys such as __proto__ stay keys', () => {
    const map = new MapBuilder();
    map.add('__proto__', 1n);
    expect(JSON.stringify(toJson(map.build()))).toBe('{"__proto__":1}');
    expect(JSON.stringify(toJson(JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}');
  });
});

describe('times', () => {
  test.each([
    ['2025-02-29T00:00:00Z'],
    ['2025-13-01T00:00:00Z'],
    ['2025-01-01T24:00:00Z'],
    ['2025-01-01'],
    ['2025-01-01T00:00:00'],
    ['2025-01-01T00:00:00+24:00'],
    ['0000-01-01T00:00:00Z'],
  ])('%s is not a timestamp', (text) => {
    expect(() => CelTimestamp.parse(text)).toThrow();
  });

  test.each([[''], ['1'], ['1x'], ['h'], ['1h-5m'], ['.s'], ['320000000000s']])('%j is not a duration', (text) => {
    expect(() => CelDuration.parse(text)).toThrow();
  });

  test('nanoseconds and moments before 1970 are kept', () => {
    const text = '0001-01-01T00:00:00.000000001Z';
    expect(CelTimestamp.parse(text).toString()).toBe(text);
    expect(CelTimestamp.parse('9999-12-31T23:59:59.999999999Z').toString()).toBe('9999-12-31T23:59:59.999999999Z');
  });
});
