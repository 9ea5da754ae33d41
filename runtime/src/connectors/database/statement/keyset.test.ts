import { expect, test } from 'vitest';
import { mysqlDialect } from '../mysql/dialect.ts';
import { postgresDialect } from '../postgres/dialect.ts';
import { sqliteDialect } from '../sqlite/dialect.ts';
import { keyAfter, keysetOf } from './keyset.ts';
import { Table } from './table.ts';

const names = { limit: 'most', after: 'after' };
const of = (query: string, dialect = postgresDialect) => keysetOf(query, dialect, names);

test.each([
  ['SELECT id FROM old ORDER BY id', 'SELECT id FROM old WHERE id > :after ORDER BY id\nLIMIT :most'],
  ['select * from s.old order by id asc', 'select * from s.old WHERE id > :after ORDER BY id\nLIMIT :most'],
  [
    'SELECT a.b AS c, 2 * total AS double, ID\nFROM old\nWHERE a = :a OR b = 2 -- or\nORDER BY ID',
    'SELECT a.b AS c, 2 * total AS double, ID\nFROM old\nWHERE ( a = :a OR b = 2 -- or\n\n) AND ID > :after ORDER BY ID\nLIMIT :most',
  ],
  [
    "SELECT id FROM old WHERE x IN (SELECT y FROM t ORDER BY y LIMIT 3) AND z = 'order by' ORDER BY id",
    "SELECT id FROM old WHERE ( x IN (SELECT y FROM t ORDER BY y LIMIT 3) AND z = 'order by' \n) AND id > :after ORDER BY id\nLIMIT :most",
  ],
])('a query over one table in the order of one column continues behind a value of it: %s', (query, text) => {
  expect(of(query)?.text).toBe(text);
  expect(of(query, mysqlDialect)).toEqual(of(query));
  expect(of(query, sqliteDialect)).toEqual(of(query));
});

test.each([
  'SELECT id FROM old',
  'SELECT id FROM old ORDER BY id DESC',
  'SELECT id FROM old ORDER BY id, name',
  'SELECT id FROM old ORDER BY 1',
  'SELECT id FROM old ORDER BY lower(id)',
  'SELECT id FROM old ORDER BY id NULLS FIRST',
  'SELECT id FROM old ORDER BY id COLLATE "C"',
  'SELECT id FROM old ORDER BY id /* asc */',
  'SELECT id FROM old ORDER BY "id"',
  'SELECT id FROM old ORDER BY old.id',
  'SELECT id FROM old ORDER BY id LIMIT 5',
  'SELECT id FROM old ORDER BY id OFFSET 5',
  'SELECT id FROM old ORDER BY id FOR UPDATE',
  'SELECT id FROM old ORDER BY id; SELECT 1',
  'SELECT DISTINCT id FROM old ORDER BY id',
  'SELECT id FROM old o ORDER BY id',
  'SELECT id FROM old, new ORDER BY id',
  'SELECT id FROM old JOIN new USING (id) ORDER BY id',
  'SELECT id FROM (SELECT 1 AS id) ORDER BY id',
  'SELECT id FROM old UNION SELECT id FROM new ORDER BY id',
  'SELECT id FROM old GROUP BY id ORDER BY id',
  'SELECT id FROM old WHERE id > :after ORDER BY id',
  'WITH old AS (SELECT 1 AS id) SELECT id FROM old ORDER BY id',
  'SELECT name FROM old ORDER BY id',
  'SELECT name AS id FROM old ORDER BY id',
  'SELECT name id FROM old ORDER BY id',
  'SELECT *, name AS ID FROM old ORDER BY id',
  'SELECT id, count(*) AS n FROM old ORDER BY id',
  'SELECT id, sum(n) OVER (ORDER BY id) AS n FROM old ORDER BY id',
  'SELECT id, @n := @n + 1 AS n FROM old ORDER BY id',
  "SELECT id, 'x' AS kind FROM old ORDER BY id",
  'SELECT id -- , name\nFROM old ORDER BY id',
  'UPDATE old SET id = 1',
  'VALUES (1)',
  '',
])('the rows of any other query are counted: %s', (query) => {
  expect(of(query)).toBeUndefined();
});

test('the key is the one column of whole numbers of the primary key, as the row shows it', () => {
  const keyset = { table: 't', key: 'ID', text: '' };
  const table = (type: string, primary: readonly string[], more: object = {}) =>
    new Table(
      't',
      { schema: undefined, table: 't' },
      ['id', 'b'].map((name) => ({ name, type })),
      postgresDialect,
      { uniqueKeys: [{ names: primary, isPrimary: true }], ...more },
    );
  const after = (row: Record<string, unknown>, of = table('int8', ['id'])) =>
    keyAfter(keyset, row, of, postgresDialect);
  expect([after({ id: 5n }), after({ b: 1n, ID: 7n })]).toEqual([5n, 7n]);
  for (const row of [{ id: 5 }, { id: null }, { id: '5' }, { b: 5n }, { id: 5n, ID: 5n }, {}])
    expect([row, after(row)]).toEqual([row, undefined]);
  for (const other of [
    table('text', ['id']),
    table('int8', ['id', 'b']),
    table('int8', ['b']),
    table('int8', ['id'], { hasHeirs: true }),
    table('int8', [], { uniqueKeys: [{ names: ['id'], isPrimary: false }] }),
  ])
    expect(after({ id: 5n }, other)).toBeUndefined();
});
