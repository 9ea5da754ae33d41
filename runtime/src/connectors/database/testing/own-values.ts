/** A value of a type that one engine has and others do not, which is read as it can be written again. */
export interface OwnValue {
  readonly type: string;
  /** Statements that make the type. */
  readonly before?: readonly string[];
  readonly write: unknown;
  /** How it is read; absent: as it was written. */
  readonly read?: unknown;
}

const largest = 9_007_199_254_740_993n;

export const postgresOwnValues: readonly OwnValue[] = [
  { type: 'int[]', write: [1, null, 3] },
  {
    type: 'int[][]',
    write: [
      [1, 2],
      [3, 4],
    ],
  },
  { type: 'int[]', write: [] },
  { type: 'bigint[]', write: [largest, 1] },
  { type: 'text[]', write: ['a', 'b,"c\\', null, 'NULL', '', '{}', "it's"] },
  { type: 'boolean[]', write: [true, false, null] },
  { type: 'numeric[]', write: ['1.50', 'NaN'] },
  { type: 'timestamptz[]', write: ['2026-01-02T05:04:05+02:00'], read: ['2026-01-02T03:04:05Z'] },
  { type: 'jsonb[]', write: [{ a: [1] }, [2], null] },
  { type: 'uuid[]', write: ['6f1f6ab0-0000-4000-8000-000000000000'] },
  { type: 'mood', before: ["CREATE TYPE mood AS ENUM ('sad', 'very ok')"], write: 'very ok' },
  { type: 'mood[]', write: ['sad', null, 'very ok'] },
  { type: 'positive', before: ['CREATE DOMAIN positive AS int CHECK (value > 0)'], write: 7 },
  { type: 'positive[]', write: [7, 8] },
  { type: 'place', before: ['CREATE TYPE place AS (x int, name text)'], write: '(1,"a ""b"", c")' },
  { type: 'place[]', write: ['(1,a)', '(2,"b c")'] },
  { type: 'int4range', write: '[1,5)' },
  { type: 'int4range', write: 'empty' },
  { type: 'tstzrange', write: '[2026-01-02 03:04:05+00,)', read: '["2026-01-02 03:04:05+00",)' },
  { type: 'int4multirange', write: '{[1,3),[5,7)}' },
  { type: 'int4range[]', write: ['[1,5)', 'empty'] },
  { type: 'interval', write: '1 mon 2 days 03:04:05.6', read: '1 mon 2 days 03:04:05.6' },
  { type: 'interval', write: 'P1DT2H', read: '1 day 02:00:00' },
  { type: 'numeric', write: 'NaN' },
  { type: 'numeric', write: 'Infinity' },
  { type: 'numeric(10,2)', write: '-0.10' },
  { type: 'numeric', write: '123456789012345678901234567890.123456789' },
  { type: 'float8', write: Number.POSITIVE_INFINITY },
  { type: 'float8', write: Number.NaN },
  { type: 'timetz', write: '03:04:05.5+02' },
  { type: 'time', write: '24:00:00' },
  { type: 'timestamp', write: 'infinity' },
  { type: 'date', write: '-infinity' },
  { type: 'bytea', write: Buffer.from([0, 92, 255]), read: 'AFz/' },
  { type: 'jsonb', write: { a: [1, null, { b: 'x' }] } },
  { type: 'jsonb', write: { n: largest } },
  { type: 'json', write: [1, 'x'] },
  { type: 'inet', write: '10.0.0.0/8' },
  { type: 'money', write: '$1,234.50' },
  { type: 'bit(3)', write: '101' },
  { type: 'point', write: '(1,2)' },
  { type: 'tsvector', write: "'a' 'b'" },
  { type: 'char(4)', write: 'ab', read: 'ab  ' },
];

export const mysqlOwnValues: readonly OwnValue[] = [
  { type: 'TINYINT(1)', write: 1 },
  { type: 'TINYINT(1)', write: true, read: 1 },
  { type: 'TINYINT(1)', write: -128 },
  { type: 'BIT(1)', write: 1 },
  { type: 'BIT(64)', write: 2n ** 64n - 1n },
  { type: 'BIGINT UNSIGNED', write: 2n ** 64n - 1n },
  { type: 'JSON', write: { a: [1, null, { b: 'x' }] } },
  { type: 'JSON', write: { n: largest } },
  { type: "ENUM('sad', 'very ok')", write: 'very ok' },
  { type: "SET('a', 'b', 'c')", write: 'a,c' },
  { type: "SET('a', 'b', 'c')", write: '' },
  { type: 'YEAR', write: 2026 },
  { type: 'TIME', write: '-838:59:59' },
  { type: 'DATE', write: '0001-01-01' },
  { type: 'DATETIME', write: '9999-12-31T23:59:59Z' },
  { type: 'TIMESTAMP NULL', write: '2026-01-02T05:04:05+02:00', read: '2026-01-02T03:04:05Z' },
  { type: 'DECIMAL(30,10)', write: '12345678901234567890.0123456789' },
  { type: 'FLOAT', write: 0.1 },
  { type: 'DOUBLE', write: 0.1 },
  { type: 'VARBINARY(8)', write: Buffer.from([0, 39, 92, 255]), read: 'ACdc/w==' },
  { type: 'VARCHAR(20) CHARACTER SET utf8mb4', write: '日本 😀' },
];
