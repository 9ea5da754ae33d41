import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { engines } from '../engines.ts';
import { kindOf } from './kind.ts';
import { type Scan, scan as scanWith } from './scanner.ts';

type Engine = keyof typeof engines;

function scan(sql: string, engine: Engine): Scan {
  return scanWith(sql, engines[engine].dialect.lexis);
}

/** The parameters of a statement as they are written. */
function parameters(sql: string, engine: Engine): string[] {
  return scan(sql, engine).pieces.flatMap((piece) => (piece.kind === 'text' ? [] : [piece.text]));
}

describe('S-48: what is a parameter', () => {
  const both: readonly [title: string, sql: string, found: string[]][] = [
    ['a name', 'SELECT :a', [':a']],
    ['names that begin with the same letters', 'SELECT :id, :id2, :id', [':id', ':id2', ':id']],
    ['names at the ends', ':a+:b', [':a', ':b']],
    ['a string', "SELECT ':a', '12:30:00', 'it''s :b', :c", [':c']],
    ['a quoted identifier', 'SELECT ":a", "x"":b", :c', [':c']],
    ['a line comment', 'SELECT 1 -- :a\n, :b', [':b']],
    ['a block comment', 'SELECT /* :a */ :b', [':b']],
    ['a cast', "SELECT :a::text, '1'::int", [':a']],
    ['an assignment', 'SELECT x := 1', []],
    ['a number', 'SELECT 12:30', []],
    ['a string that is not closed', "SELECT ':a", []],
    ['a comment that is not closed', 'SELECT 1 /* :a', []],
    ['a colon at the end', 'SELECT :', []],
    ['a name after a digit', 'SELECT :1a', []],
  ];
  test.each(both)('%s', (_, sql, found) => {
    expect([parameters(sql, 'sqlite'), parameters(sql, 'postgres')]).toEqual([found, found]);
  });

  const one: readonly [title: string, engine: Engine, sql: string, found: string[]][] = [
    ['dollar quotes', 'postgres', 'SELECT $$ :a $$, $t$ :b $$ $t$, :c', [':c']],
    ['a dollar inside a name', 'postgres', 'SELECT a$b$, :c, x$b$', [':c']],
    ['escapes in E strings', 'postgres', "SELECT E'\\' :a', :b", [':b']],
    ['no escapes in other strings', 'postgres', "SELECT 'x\\', :b", [':b']],
    ['an identifier that ends in e', 'postgres', "SELECT type'\\', :b", [':b']],
    ['comments that nest', 'postgres', 'SELECT /* /* :a */ :b */ :c', [':c']],
    ['comments that do not nest', 'sqlite', 'SELECT /* /* :a */ :b', [':b']],
    ['JSON operators', 'postgres', "SELECT d ?| :a, d ?& :b, d @> :c, d ->> 'x:y'", [':a', ':b', ':c']],
    ['slices', 'postgres', 'SELECT a[1:2], a[lo:hi], a[:n]', [':n']],
    ['brackets that quote', 'sqlite', 'SELECT [a:b], `c:d`, :e', [':e']],
    ['placeholders', 'sqlite', 'SELECT ?, ?2', ['?', '?2']],
    ['placeholders', 'postgres', 'SELECT $1, ?, ??', ['$1', '?', '??']],
    ['concatenation after a placeholder', 'postgres', "SELECT ?||'x'", ['?']],
    ['escapes in every text', 'mysql', "SELECT '\\' :a', \"it''s \\\" :b\", :c", [':c']],
    ['comments of a hash, and dashes that begin no comment', 'mysql', 'SELECT 1 # :a\n, 5--:b, :c -- :d', [':b', ':c']],
    ['comments that are run', 'mysql', 'SELECT /*!50100 :a */ /* :b */ `c:d`', [':a']],
    ['foreign parameters', 'sqlite', 'SELECT @a, $b', ['@a', '$b']],
  ];
  test.each(one)('%s (%s)', (_, engine, sql, found) => {
    expect(parameters(sql, engine)).toEqual(found);
  });

  test('where a parameter is', () => {
    const sql = 'SELECT :a WHERE b IN (:b, lower(:c)) OR d = ANY(:d) OR (e = :e) OR "in" (:f) OR g NOT IN\n( :g )';
    const found = scan(sql, 'postgres').pieces.flatMap((piece) =>
      piece.kind === 'named' ? [[piece.name, piece.position]] : [],
    );
    expect(Object.fromEntries(found)).toEqual({
      a: 'value',
      b: 'in',
      c: 'value',
      d: 'any',
      e: 'value',
      f: 'value',
      g: 'in',
    });
  });

  test('statements are divided at semicolons outside of texts', () => {
    const sql = "CREATE TABLE a (b TEXT DEFAULT ';'); -- ; \n;\nDO $$ BEGIN x; END $$; /* ; */";
    expect(scan(sql, 'postgres').statements.map((statement) => statement.text)).toEqual([
      "CREATE TABLE a (b TEXT DEFAULT ';')",
      'DO $$ BEGIN x; END $$',
    ]);
  });
});

const quoted = fc
  .tuple(fc.constantFrom("'", '"'), fc.string())
  .map(([quote, inner]) => `${quote}${inner.replaceAll(quote, quote + quote)}${quote}`);
const opaque = fc.oneof(
  quoted,
  fc.string().map((inner) => `--${inner.replaceAll(/[\r\n]/g, '')}\n`),
  fc.string().map((inner) => `/*${inner.replaceAll(/[*/]/g, '')}*/`),
);
const name = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,8}$/);

describe('whatever is written', () => {
  test.each(['sqlite', 'postgres'] as const)('the pieces give the %s statement back', (engine) => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...':?$\'"-/*;()[]`@\\ \nab1_Ein'.split('')), maxLength: 60 }),
        (sql) => {
          expect(
            scan(sql, engine)
              .pieces.map((piece) => piece.text)
              .join(''),
          ).toBe(sql);
        },
      ),
    );
  });

  test.each(['sqlite', 'postgres'] as const)(
    'S-48: only the names between opaque parts are parameters (%s)',
    (engine) => {
      fc.assert(
        fc.property(fc.array(fc.tuple(opaque, name), { maxLength: 6 }), (parts) => {
          const sql = parts.map(([hidden, parameter]) => ` ${hidden} = :${parameter} `).join('AND');
          expect(parameters(sql, engine)).toEqual(parts.map(([, parameter]) => `:${parameter}`));
        }),
      );
    },
  );
});

test.each([
  ['SELECT 1', { reads: true, inserts: false, changesSchema: false, changesSession: false }],
  [
    '/* x */ with a as (select 1) select * from a',
    { reads: true, inserts: false, changesSchema: false, changesSession: false },
  ],
  [
    'WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a',
    { reads: false, inserts: false, changesSchema: false, changesSession: false },
  ],
  ['SELECT * FROM a FOR UPDATE', { reads: false, inserts: false, changesSchema: false, changesSession: false }],
  ["SELECT 'update'", { reads: true, inserts: false, changesSchema: false, changesSession: false }],
  ['insert into a values (1)', { reads: false, inserts: true, changesSchema: false, changesSession: false }],
  [
    'with x as (select 1) insert into a select * from x',
    { reads: false, inserts: true, changesSchema: false, changesSession: false },
  ],
  ['CREATE TABLE a (b INT)', { reads: false, inserts: false, changesSchema: true, changesSession: false }],
])('what %s does', (sql, kind) => {
  expect(kindOf(scan(sql, 'postgres'), engines.postgres.dialect.session)).toEqual(kind);
});
