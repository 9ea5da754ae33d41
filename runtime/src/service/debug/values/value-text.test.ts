import { CelDuration, Fields } from '@svc/protocol/cel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventLimits, Secrecy } from './snapshot.ts';

const open = new Secrecy(false);
const strict = new Secrecy(true);

describe('a value as text', () => {
  test('is what JSON says about it, as long as nothing is cut or hidden', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        fc.pre(!JSON.stringify(value).includes('"__proto__"'));
        expect(JSON.parse(open.write(value, { depth: 99, members: 999, total: 9_999, text: 9_999 }))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  test.each<[string, unknown, string]>([
    ['whole numbers', [1n, 2n ** 60n], '[1,"1152921504606846976"]'],
    ['numbers that JSON has not', [Number.NaN, Number.POSITIVE_INFINITY, -0], '[null,null,0]'],
    ['bytes', new Uint8Array([1, 2]), '"AQI="'],
    ['durations', CelDuration.parse('90s'), '"90s"'],
    ['errors', new Error('a "b"'), '"a \\"b\\""'],
    ['nothing', [undefined, null, { a: undefined, b: null }], '[null,null,{"b":null}]'],
    [
      'maps',
      new Map<unknown, unknown>([
        ['a', 1],
        [true, 2],
      ]),
      '{"a":1,"true":2}',
    ],
    ['fields', Object.assign(new Fields(), { a: 'ä\n😀\u2028' }), '{"a":"ä\\n😀\u2028"}'],
    ['what is not a value', [() => 1, Symbol('a')], '[null,null]'],
    [
      'dates that JSON cannot carry',
      [new Date('+010000-01-01T00:00:00Z'), 1],
      '["[the timestamp is outside the years 1 to 9999]",1]',
    ],
  ])('%s', (_title, value, text) => {
    expect(open.write(value, eventLimits)).toBe(text);
  });

  test('is cut at its limits, which is said in place', () => {
    const limits = { depth: 2, members: 3, total: 6, text: 4 };
    expect(open.write([[[1], { a: 1 }], 'abcde'], limits)).toBe('[["[…]","{…}"],"abcd… (5 characters)"]');
    expect(open.write([1, 2, 3, 4, 5], limits)).toBe('[1,2,3,"… 2 more"]');
    expect(open.write({ a: 1, b: 2, c: 3, d: 4 }, limits)).toBe('{"a":1,"b":2,"c":3,"…":"1 more"}');
    expect(
      open.write(
        [
          [1, 2, 3],
          [4, 5],
        ],
        limits,
      ),
    ).toBe('[[1,2,3],[4,"… 1 more"]]');
    expect(open.write(new Uint8Array(5), limits)).toBe('"[bytes …]"');
    const round: unknown[] = [];
    round.push(round);
    expect(open.write(round, limits)).toBe('[["[…]"]]');
  });

  test('hides what is never shown, and outside development all that is named like a credential', () => {
    const value = { Authorization: 'a', list: [{ password: 'b', cookie: null }], 'set-cookie': { c: 1 } };
    expect(open.write(value, eventLimits)).toBe(
      '{"Authorization":"***","list":[{"password":"b","cookie":null}],"set-cookie":"***"}',
    );
    expect(strict.write(value, eventLimits)).toContain('"password":"***"');
  });

  test('remembers names, but not without limit', () => {
    for (let at = 0; at < 10_000; at++)
      expect(strict.write({ [`token_${at}`]: 1, [`api_key_${at}`]: 1 }, eventLimits)).toBe(
        `{"token_${at}":1,"api_key_${at}":"***"}`,
      );
    expect(strict.write({ [`${'x'.repeat(100)}password`]: 1 }, eventLimits)).toContain('***');
  });
});
