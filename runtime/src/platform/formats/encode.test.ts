import { CelTimestamp } from '@svc/protocol/cel';
import { describe, expect, test } from 'vitest';
import { encodeBody } from './encode.ts';
import { type Codec, codecOf, type FormatName } from './registry.ts';
import { isLarge } from './turns.ts';

const inTurns = ['excel', 'csv', 'tsv', 'xml'] as const;

const long = Array.from({ length: 8_000 }, (_, at) => ({
  at,
  text: `=row ${at} & "é"`,
  when: CelTimestamp.parse('2026-01-01T00:00:00Z'),
  list: at % 100 === 0 ? [at, [at]] : [],
  ...(at === 7_999 && { late: true }),
}));
const wide = Array.from({ length: 4 }, () =>
  Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`c${at}`, at])),
);

/** A body, and the turns of the event loop while it was made. */
async function encoded(codec: Codec, value: unknown) {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const body = await encodeBody(codec, value);
  isOver = true;
  return { body, turns };
}

describe.each(inTurns)('%s', (name) => {
  test.each<[string, readonly unknown[]]>([
    ['long', long],
    ['wide', wide],
  ])('A-06: a %s list is written with turns for other work, as it is written at once', async (_, rows) => {
    const codec = await codecOf(name);
    for (const value of [rows, { rows }]) {
      const { body, turns } = await encoded(codec, value);
      // 32,000 values and more, with a turn for each 2,000; a line of a table is not divided.
      expect(turns).toBeGreaterThan(5);
      const bytes = Buffer.from(body);
      const form = { budget: { depth: 9, keys: 1e6, values: 1e6, digits: 100 } };
      if (name === 'excel')
        expect(await codec.decode(bytes, form)).toEqual(await codec.decode(Buffer.from(codec.encode(value)), form));
      else expect(bytes.toString() === codec.encode(value)).toBe(true);
    }
  });

  test('a small one is written at once', async () => {
    const codec = await codecOf(name);
    expect(encodeBody(codec, long.slice(0, 100))).not.toBeInstanceOf(Promise);
  });
});

test('what cannot be written rejects, large or small', async () => {
  const [excel, csv, xml] = await Promise.all((['excel', 'csv', 'xml'] as const).map((name) => codecOf(name)));
  const cases: readonly (readonly [Codec | undefined, unknown])[] = [
    [excel, [...long, { text: 'x'.repeat(40_000) }]],
    [excel, [{ text: 'x'.repeat(40_000) }]],
    [csv, Array.from({ length: 2_000 }, (_, at) => ({ [`c${at}`]: at }))],
    [xml, [...long, { '@é:': 1, '@é_': 2 }]],
  ];
  for (const [codec, value] of cases)
    await expect(async () => encodeBody(codec as Codec, value)).rejects.toMatchObject({ code: 'output_invalid' });
});

test('XML of lists at any depth, attributes and values of expressions is the same in pieces', async () => {
  const xml = await codecOf('xml');
  const values: readonly unknown[] = [
    { a: { b: { c: { d: { e: { f: long } } } } } },
    { '@id': CelTimestamp.parse('2026-01-01T00:00:00Z'), '#text': 5n, empty: [], none: null, rows: long },
    { '@xmlns:p': 'urn:p', 'p:rows': [long, long.slice(0, 3)], 'p:a': { '@p:b': 1 } },
    new Map<string, unknown>([['rows', long]]),
    [[], [[]], new Map([['a', 1]]), ...long],
  ];
  for (const value of values) {
    const { body } = await encoded(xml, value);
    expect(Buffer.from(body).toString() === xml.encode(value)).toBe(true);
  }
});

test.each<FormatName>(['json', 'ndjson', 'form'])('%s is written by the engine, at once', async (name) => {
  const codec = await codecOf(name);
  expect(encodeBody(codec, { a: '1' })).toBe(codec.encode({ a: '1' }));
});

test('values are counted no further than it matters', () => {
  const cycle: Record<string, unknown> = {};
  cycle['self'] = [cycle, cycle];
  expect([isLarge(cycle), isLarge({ a: new Uint8Array(1e6) }), isLarge(long), isLarge('x'.repeat(1e6))]).toEqual([
    true,
    false,
    true,
    false,
  ]);
});
