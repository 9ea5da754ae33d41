/** What a column may hold although its type says otherwise, and how it is read. */
export interface OddValue {
  readonly title: string;
  /** Statements that are run first. */
  readonly before?: readonly string[];
  /** Reads it as `v`. */
  readonly query: string;
  readonly read: unknown;
}

const largest = 9_007_199_254_740_993n;

/** Puts a literal into a column of JSON, whatever it is. */
const kept = (literal: string) => [
  'DROP TABLE IF EXISTS odd',
  'CREATE TABLE odd (v JSON)',
  `INSERT INTO odd VALUES (${literal})`,
];

export const sqliteOddValues: readonly OddValue[] = [
  { title: 'text in a JSON column', before: kept("'{oops'"), query: 'SELECT v FROM odd', read: '{oops' },
  { title: 'bytes in a JSON column', before: kept("x'ff'"), query: 'SELECT v FROM odd', read: '/w==' },
  {
    title: 'an integer beyond 2^53 in a JSON column',
    before: kept('9007199254740993'),
    query: 'SELECT v FROM odd',
    read: largest,
  },
];

export const postgresOddValues: readonly OddValue[] = [
  { title: 'a time without an end', query: "SELECT 'infinity'::timestamp AS v", read: 'infinity' },
  { title: 'a time before our era', query: "SELECT '0044-03-15 BC'::date AS v", read: '0044-03-15 BC' },
  { title: 'a year beyond 9999', query: "SELECT '12026-01-01'::date AS v", read: '12026-01-01' },
  { title: 'not a number', query: "SELECT 'NaN'::float8 AS v", read: Number.NaN },
  { title: 'an array', query: 'SELECT ARRAY[1,2] AS v', read: [1, 2] },
  {
    title: 'an array of arrays',
    query: 'SELECT ARRAY[[1,2],[3,4]] AS v',
    read: [
      [1, 2],
      [3, 4],
    ],
  },
  { title: 'an array that begins elsewhere', query: "SELECT '[0:1]={7,8}'::int[] AS v", read: [7, 8] },
  {
    title: 'an array of large integers',
    query: 'SELECT ARRAY[9007199254740993, 1]::bigint[] AS v',
    read: [largest, 1],
  },
  {
    title: 'an array of texts',
    query: "SELECT ARRAY['a', 'b,\\\"c', NULL, 'NULL', ''] AS v",
    read: ['a', 'b,\\"c', null, 'NULL', ''],
  },
  { title: 'an empty array', query: "SELECT '{}'::text[] AS v", read: [] },
  { title: 'an array of decimals', query: 'SELECT ARRAY[1.50, 2]::numeric[] AS v', read: ['1.50', '2'] },
  { title: 'an array of dates', query: "SELECT ARRAY['2026-01-02']::date[] AS v", read: ['2026-01-02'] },
  {
    title: 'an array of times',
    query: "SELECT ARRAY['2026-01-02 03:04:05']::timestamp[] AS v",
    read: ['2026-01-02T03:04:05Z'],
  },
  { title: 'an array of objects', query: 'SELECT ARRAY[\'{"a": 1}\']::jsonb[] AS v', read: [{ a: 1 }] },
  { title: 'an array of truths', query: 'SELECT ARRAY[true, false] AS v', read: [true, false] },
  { title: 'an array of bytes', query: "SELECT ARRAY['\\x00ff']::bytea[] AS v", read: ['AP8='] },
  {
    title: 'an array of identifiers',
    query: "SELECT ARRAY['6f1f6ab0-0000-4000-8000-000000000000']::uuid[] AS v",
    read: ['6f1f6ab0-0000-4000-8000-000000000000'],
  },
  { title: 'an interval', query: "SELECT interval '1 day 2 hours' AS v", read: '1 day 02:00:00' },
  { title: 'a null of JSON', query: "SELECT 'null'::jsonb AS v", read: null },
  { title: 'a count', query: 'SELECT count(*) AS v', read: 1 },
];
