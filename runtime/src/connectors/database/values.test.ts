import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Content } from '../../foundation/contracts/content.ts';
import type { DatabaseConnector } from './engine.ts';
import { engines } from './testing/engines.ts';
import { describeCall, sql } from './testing/parts.ts';

const file = (content: readonly number[]) => {
  const bytes = Buffer.from(content);
  const kept = {
    size: bytes.length,
    once: false,
    inMemory: bytes,
    stream: () => Readable.from([bytes]),
    read: () => bytes,
  };
  return new Content(kept, { filename: 'a', contentType: 'x/y' }, bytes);
};

interface Row {
  readonly title: string;
  /** Declared type; an engine may have another name for it (`columns`). */
  readonly type: string;
  readonly write: unknown;
  /** What is read back for expressions and for answers; one value when they are the same. */
  readonly exact: unknown;
  readonly plain?: unknown;
}

const largest = 9_007_199_254_740_993n;

/** What every engine holds to (docs/specification/databases.md#values). */
const table: readonly Row[] = [
  { title: 'an integer', type: 'INTEGER', write: 42, exact: 42n, plain: 42 },
  { title: 'a whole double', type: 'INTEGER', write: 5.0, exact: 5n, plain: 5 },
  { title: 'a whole double in a text column', type: 'TEXT', write: 5.0, exact: '5' },
  { title: 'a bigint in a text column', type: 'TEXT', write: 7n, exact: '7' },
  { title: 'a fraction in a text column', type: 'TEXT', write: 1.5, exact: '1.5' },
  { title: 'an integer beyond 2^53', type: 'BIGINT', write: largest, exact: largest },
  { title: 'a negative integer beyond 2^53', type: 'BIGINT', write: -largest, exact: -largest },
  {
    title: 'the largest safe integer',
    type: 'BIGINT',
    write: 2 ** 53 - 1,
    exact: 9007199254740991n,
    plain: 9007199254740991,
  },
  { title: 'an integer as text', type: 'INTEGER', write: '17', exact: 17n, plain: 17 },
  { title: 'a fraction', type: 'DOUBLE PRECISION', write: 1.25, exact: 1.25 },
  { title: 'a whole number in a double column', type: 'DOUBLE PRECISION', write: 3, exact: 3 },
  { title: 'true', type: 'BOOLEAN', write: true, exact: true },
  { title: 'false', type: 'BOOLEAN', write: false, exact: false },
  { title: 'null', type: 'BOOLEAN', write: null, exact: null },
  { title: 'text', type: 'TEXT', write: "it's; -- :x ? $1 ☃", exact: "it's; -- :x ? $1 ☃" },
  { title: 'an empty text', type: 'TEXT', write: '', exact: '' },
  {
    title: 'an object in a JSON column',
    type: 'JSON',
    write: { a: [1, 'x', null] },
    exact: { a: [1n, 'x', null] },
    plain: { a: [1, 'x', null] },
  },
  { title: 'a list in a JSON column', type: 'JSON', write: [1.5, true], exact: [1.5, true] },
  { title: 'a large integer in a JSON column', type: 'JSON', write: { n: largest }, exact: { n: largest } },
  { title: 'an object in a text column', type: 'TEXT', write: { a: 1 }, exact: '{"a":1}' },
  { title: 'a list in a text column', type: 'TEXT', write: ['a'], exact: '["a"]' },
  { title: 'bytes', type: 'BYTES', write: new Uint8Array([0, 255, 16]), exact: 'AP8Q' },
  { title: 'a file', type: 'BYTES', write: file([0, 255, 16]), exact: 'AP8Q' },
  { title: 'a decimal as text', type: 'DECIMAL', write: '12.50', exact: '12.50' },
  { title: 'a time without a zone', type: 'TIMESTAMP', write: '2026-01-02 03:04:05', exact: '2026-01-02T03:04:05Z' },
  {
    title: 'a time with a zone',
    type: 'TIMESTAMPTZ',
    write: '2026-01-02T05:04:05.120+02:00',
    exact: '2026-01-02T03:04:05.12Z',
  },
  {
    title: 'a zone in a column without one',
    type: 'TIMESTAMP',
    write: '2026-01-02T05:04:05+02:00',
    exact: '2026-01-02T03:04:05Z',
  },
  {
    title: 'microseconds',
    type: 'TIMESTAMP',
    write: '2026-01-02T03:04:05.123456Z',
    exact: '2026-01-02T03:04:05.123456Z',
  },
  {
    title: 'a Date',
    type: 'TIMESTAMP',
    write: new Date(Date.UTC(2026, 0, 2, 3, 4, 5, 6)),
    exact: '2026-01-02T03:04:05.006Z',
  },
  { title: 'a date', type: 'DATE', write: '2026-01-02', exact: '2026-01-02' },
  { title: 'a date of long ago', type: 'DATE', write: '0044-03-15', exact: '0044-03-15' },
];

const exactly = (value: unknown) => (typeof value === 'number' ? BigInt(value) : value);

describe.each(engines)(
  'values of $engine',
  ({ skip, start, columns, oddValues, ownValues, truth = (value) => value }) => {
    describe.skipIf(skip)('follow one table', () => {
      let connector: DatabaseConnector;
      let end: () => Promise<void>;

      beforeAll(async () => {
        const open = await start();
        ({ connector, end } = open);
        const before = ownValues.flatMap((value) => value.before ?? []);
        for (const statement of before) await sql(connector, statement);
        // Types are learnt when a connector opens.
        if (before.length > 0) connector = await open.another();
      });
      afterAll(() => end());

      test.each(table.map((row, index) => ({ ...row, index })))(
        '$title ($type)',
        async ({ index, type, write, exact, plain }) => {
          const name = `t${index}`;
          await sql(connector, `CREATE TABLE ${name} (v ${columns[type] ?? type})`);
          await connector.target.prepare(describeCall('create', { target: name }))({ payload: { v: write } });
          const read = async (asExact: boolean) =>
            connector.target.prepare(describeCall('read', { target: name, exact: asExact }))({});
          const inAnswer = (value: unknown, asExact: boolean) =>
            typeof value !== 'boolean' ? value : asExact ? exactly(truth(value)) : truth(value);
          expect((await read(true)).rows).toEqual([{ v: inAnswer(exact, true) }]);
          expect((await read(false)).rows).toEqual([{ v: inAnswer(plain === undefined ? exact : plain, false) }]);
        },
      );

      test.each(oddValues)('$title does not make a read fail', async ({ before = [], query, read }) => {
        for (const statement of before) await sql(connector, statement);
        expect((await sql(connector, query)).rows).toEqual([{ v: read }]);
      });

      test.each(ownValues.map((value, index) => ({ ...value, index })))(
        'a value of $type is read and can be written again: $write',
        async ({ index, type, write, read = write }) => {
          const name = `own${index}`;
          await sql(connector, `CREATE TABLE ${name} (n INTEGER, v ${type})`);
          const insert = connector.target.prepare(describeCall('create', { target: name }));
          const values = async () =>
            (await sql(connector, `SELECT v FROM ${name} ORDER BY n`)).rows?.map((row) => row['v']);
          await insert({ payload: { n: 1, v: write } });
          expect(await values()).toEqual([read]);
          // Bytes are read as base64 text, which would be written as that text.
          if (write instanceof Uint8Array) return;
          await insert({ payload: { n: 2, v: read } });
          expect(await values()).toEqual([read, read]);
        },
      );

      test('a value for which the engine has no place names its field', async () => {
        await sql(connector, 'CREATE TABLE huge (v BIGINT)');
        const create = connector.target.prepare(describeCall('create', { target: 'huge' }));
        await expect((async () => create({ payload: { v: 2n ** 64n } }))()).rejects.toMatchObject({
          code: 'value_refused',
          fields: [{ field: 'v', code: 'type_mismatch' }],
        });
      });
    });
  },
);
