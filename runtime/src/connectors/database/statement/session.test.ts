import { expect, test } from 'vitest';
import { engines } from '../engines.ts';
import { kindOf } from './kind.ts';
import { scan } from './scanner.ts';
import { type StatementPlace, statementProblem } from './session.ts';

type Engine = keyof typeof engines;

const problemOf = (engine: Engine, sql: string, place: StatementPlace = 'alone') =>
  statementProblem(sql, engines[engine].dialect, place);

const changes = (engine: Engine, sql: string) => {
  const { lexis, session } = engines[engine].dialect;
  return kindOf(scan(sql, lexis), session).changesSession;
};

test.each<readonly [Engine, string]>([
  ['postgres', 'BEGIN'],
  ['mysql', 'start transaction read only'],
  ['sqlite', 'begin immediate'],
  ['postgres', '/* now */ COMMIT'],
  ['postgres', "PREPARE TRANSACTION 'a'"],
  ['sqlite', 'END'],
  ['mysql', 'ROLLBACK'],
  ['mysql', 'SET autocommit = 0'],
  ['sqlite', 'SAVEPOINT a'],
  ['postgres', 'ROLLBACK TO SAVEPOINT a'],
])('%s: %s needs a transaction', (engine, sql) => {
  expect(problemOf(engine, sql)).toMatch(/^[A-Z]+ is for a transaction, .* write the statements into `transaction`$/);
});

test.each<readonly [Engine, string]>([
  ['postgres', 'BEGIN'],
  ['postgres', 'COMMIT'],
  ['mysql', 'ROLLBACK'],
  ['mysql', 'SET @@autocommit = 1'],
  ['sqlite', 'END TRANSACTION'],
  ['postgres', "PREPARE TRANSACTION 'a'"],
])('%s: %s does not belong into a transaction', (engine, sql) => {
  expect(problemOf(engine, sql, 'transaction')).toMatch(/ does not belong into a transaction, .*: leave it out$/);
});

test.each<readonly [Engine, string]>([
  ['postgres', "SET search_path = 'a'"],
  ['postgres', 'SET LOCAL ROLE reader'],
  ['postgres', 'RESET ALL'],
  ['postgres', 'LISTEN a'],
  ['postgres', 'DECLARE c CURSOR FOR SELECT 1'],
  ['mysql', "SET time_zone = '+09:00'"],
  ['mysql', 'SET TRANSACTION ISOLATION LEVEL SERIALIZABLE'],
  ['mysql', 'USE other'],
  ['mysql', 'LOCK TABLES a WRITE'],
])('%s: %s alone says nothing to the next statement', (engine, sql) => {
  expect(problemOf(engine, sql)).toMatch(/^[A-Z]+ changes the connection .* write both into `transaction`$/);
  expect(problemOf(engine, sql, 'transaction')).toBeUndefined();
});

test.each<readonly [Engine, string, boolean]>([
  ['postgres', 'SET ROLE reader', true],
  ['postgres', 'SET LOCAL ROLE reader', false],
  ['postgres', 'SET CONSTRAINTS ALL DEFERRED', false],
  ['postgres', "SELECT set_config('app.tenant', :tenant, false)", true],
  ['postgres', "SELECT set_config('app.tenant', :tenant, true)", false],
  ['postgres', "SELECT set_config('app.tenant', :tenant, :local)", true],
  ['postgres', "SELECT set_config('a', 'b', true), set_config('c', 'd', false)", true],
  ['postgres', "SELECT 'set_config'", false],
  ['postgres', 'SELECT pg_try_advisory_lock(:id)', true],
  ['postgres', 'SELECT pg_advisory_xact_lock(:id)', false],
  ['postgres', 'CREATE TEMP TABLE a (b INT)', true],
  ['postgres', 'CREATE LOCAL TEMPORARY TABLE a (b INT) ON COMMIT DROP', false],
  ['postgres', 'SELECT 1 AS a INTO TEMP b', true],
  ['postgres', 'SELECT temp FROM weather', false],
  ['postgres', 'DECLARE c CURSOR FOR SELECT 1', false],
  ['postgres', 'DECLARE c CURSOR WITH HOLD FOR SELECT 1', true],
  ['mysql', "SET time_zone = '+09:00'", true],
  ['mysql', 'SET GLOBAL max_connections = 10', false],
  ['mysql', 'SET STATEMENT max_statement_time = 1 FOR SELECT 1', false],
  ['mysql', "SELECT GET_LOCK('a', 1)", true],
  ['mysql', 'CREATE TEMPORARY TABLE a (b INT)', true],
  ['mysql', 'INSERT INTO a VALUES (1)', false],
])('%s: whether %s leaves something on its connection', (engine, sql, expected) => {
  expect(changes(engine, sql)).toBe(expected);
});

test.each<readonly [string, boolean]>([
  ['PRAGMA foreign_keys = OFF', true],
  ['pragma main.synchronous(0)', true],
  ['PRAGMA foreign_keys', false],
  ['PRAGMA user_version = 3', false],
  ['PRAGMA table_info(a)', false],
])('sqlite: whether %s would change the connection that all flows share', (sql, isRefused) => {
  for (const place of ['alone', 'transaction'] as const)
    expect(
      /^PRAGMA \w+ would change the connection that all flows share: it cannot be set$/.test(
        problemOf('sqlite', sql, place) ?? '',
      ),
    ).toBe(isRefused);
});
