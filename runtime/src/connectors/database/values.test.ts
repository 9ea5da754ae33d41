import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseConnector } from './engine.ts';
import { describeCall, never, postgresConnector, sql, sqliteConnector } from './testing/parts.ts';
import { postgresUrl, TestDatabase } from './testing/postgres.ts';

interface Row {
  readonly title: string;
  /** Declared type: of both engines, or of each. */
  readonly type: string | { readonly sqlite: string; readonly postgres: string };
  readonly write: unknown;
  /** What is read back for expressions and for answers; one value when they are the same. */
  readonly exact: unknown;
  readonly plain?: unknown;
}

const largest = 9_007_199_254_740_993n;

/** What both engines hold to (decisions 13 and 48; supplement 3.9, Values). */
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
  { title: 'bytes', type: { sqlite: 'BLOB', postgres: 'BYTEA' }, write: new Uint8Array([0, 255, 16]), exact: 'AP8Q' },
  { title: 'a decimal as text', type: { sqlite: 'TEXT', postgres: 'NUMERIC(10,2)' }, write: '12.50', exact: '12.50' },
  { title: 'a time without a zone', type: 'TIMESTAMP', write: '2026-01-02 03:04:05', exact: '2026-01-02T03:04:05Z' },
  {
    title: 'a time with a zone',
    type: { sqlite: 'TIMESTAMPTZ', postgres: 'TIMESTAMPTZ' },
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

/** What a column may hold although its type says otherwise, as literals that each engine stores. */
const odd: readonly {
  readonly title: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly select: string;
  readonly read: unknown;
}[] = [
  { title: 'a time without an end', engine: 'postgres', select: "'infinity'::timestamp", read: 'infinity' },
  { title: 'a time before our era', engine: 'postgres', select: "'0044-03-15 BC'::date", read: '0044-03-15 BC' },
  { title: 'a year beyond 9999', engine: 'postgres', select: "'12026-01-01'::date", read: '12026-01-01' },
  { title: 'not a number', engine: 'postgres', select: "'NaN'::float8", read: Number.NaN },
  { title: 'an array', engine: 'postgres', select: 'ARRAY[1,2]', read: [1, 2] },
  {
    title: 'an array of arrays',
    engine: 'postgres',
    select: 'ARRAY[[1,2],[3,4]]',
    read: [
      [1, 2],
      [3, 4],
    ],
  },
  { title: 'an array that begins elsewhere', engine: 'postgres', select: "'[0:1]={7,8}'::int[]", read: [7, 8] },
  {
    title: 'an array of large integers',
    engine: 'postgres',
    select: 'ARRAY[9007199254740993, 1]::bigint[]',
    read: [largest, 1],
  },
  {
    title: 'an array of texts',
    engine: 'postgres',
    select: "ARRAY['a', 'b,\\\"c', NULL, 'NULL', '']",
    read: ['a', 'b,\\"c', null, 'NULL', ''],
  },
  { title: 'an empty array', engine: 'postgres', select: "'{}'::text[]", read: [] },
  { title: 'an array of decimals', engine: 'postgres', select: 'ARRAY[1.50, 2]::numeric[]', read: ['1.50', '2'] },
  { title: 'an array of dates', engine: 'postgres', select: "ARRAY['2026-01-02']::date[]", read: ['2026-01-02'] },
  {
    title: 'an array of times',
    engine: 'postgres',
    select: "ARRAY['2026-01-02 03:04:05']::timestamp[]",
    read: ['2026-01-02T03:04:05Z'],
  },
  { title: 'an array of objects', engine: 'postgres', select: 'ARRAY[\'{"a": 1}\']::jsonb[]', read: [{ a: 1 }] },
  { title: 'an array of truths', engine: 'postgres', select: 'ARRAY[true, false]', read: [true, false] },
  { title: 'an array of bytes', engine: 'postgres', select: "ARRAY['\\x00ff']::bytea[]", read: ['AP8='] },
  {
    title: 'an array of identifiers',
    engine: 'postgres',
    select: "ARRAY['6f1f6ab0-0000-4000-8000-000000000000']::uuid[]",
    read: ['6f1f6ab0-0000-4000-8000-000000000000'],
  },

  { title: 'an interval', engine: 'postgres', select: "interval '1 day 2 hours'", read: '1 day 02:00:00' },
  { title: 'a null of JSON', engine: 'postgres', select: "'null'::jsonb", read: null },
  { title: 'a count', engine: 'postgres', select: 'count(*)', read: 1 },
  { title: 'text in a JSON column', engine: 'sqlite', select: "'{oops'", read: '{oops' },
  { title: 'bytes in a JSON column', engine: 'sqlite', select: "x'ff'", read: '/w==' },
  { title: 'an integer beyond 2^53 in a JSON column', engine: 'sqlite', select: '9007199254740993', read: largest },
];

const engines = [
  { engine: 'sqlite' as const, skip: false },
  { engine: 'postgres' as const, skip: postgresUrl === undefined },
];

describe.each(engines)('values of $engine', ({ engine, skip }) => {
  describe.skipIf(skip)('follow one table', () => {
    const server = engine === 'postgres' && !skip ? new TestDatabase() : undefined;
    let connector: DatabaseConnector;

    beforeAll(async () => {
      await server?.create();
      connector =
        server === undefined ? sqliteConnector({ database: ':memory:' }) : postgresConnector({ url: server.url });
      await connector.open(never);
    });
    afterAll(async () => {
      await connector.close();
      await server?.drop();
    });

    test.each(table.map((row, index) => ({ ...row, index })))(
      '$title ($type)',
      async ({ index, type, write, exact, plain }) => {
        const name = `t${index}`;
        await sql(connector, `CREATE TABLE ${name} (v ${typeof type === 'string' ? type : type[engine]})`);
        await connector.target.prepare(describeCall('create', { target: name }))({ payload: { v: write } });
        const read = async (asExact: boolean) =>
          connector.target.prepare(describeCall('read', { target: name, exact: asExact }))({});
        expect((await read(true)).rows).toEqual([{ v: exact }]);
        expect((await read(false)).rows).toEqual([{ v: plain === undefined ? exact : plain }]);
      },
    );

    test.each(odd.filter((row) => row.engine === engine))(
      '$title does not make a read fail',
      async ({ select, read }) => {
        let from = `SELECT ${select} AS v`;
        if (engine === 'sqlite') {
          await sql(connector, 'DROP TABLE IF EXISTS odd');
          await sql(connector, 'CREATE TABLE odd (v JSON)');
          await sql(connector, `INSERT INTO odd VALUES (${select})`);
          from = 'SELECT v FROM odd';
        }
        expect((await sql(connector, from)).rows).toEqual([{ v: read }]);
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
});
