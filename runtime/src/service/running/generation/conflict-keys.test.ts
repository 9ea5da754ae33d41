import { expect, test } from 'vitest';
import { projectOf } from '../../../checks/rules/testing/problems.ts';
import { never, sql, sqliteConnector } from '../../../connectors/database/testing/parts.ts';
import { unusableConflicts } from './conflict-keys.ts';

const flow = (table: string, conflict: string) => `connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
flow "save" {
  from {
    connector = "api"
    operation = "POST /users"
  }
  to {
    connector = "db"
    target    = "${table}"
    operation = "UPSERT"
    conflict  = ["${conflict}"]
  }
}
`;

test('an upsert whose columns are not a unique key is refused at start', async () => {
  const connector = sqliteConnector({ database: ':memory:' });
  await connector.open(never);
  await sql(connector, 'CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, name TEXT)');
  const messages = async (table: string, conflict: string) => {
    const project = projectOf(flow(table, conflict));
    expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    return [...(await unusableConflicts(project, new Map([['db', connector]])))].map(([name, { message }]) => [
      name,
      message,
    ]);
  };
  expect(await messages('users', 'id')).toEqual([]);
  expect(await messages('users', 'email')).toEqual([]);
  expect(await messages('later', 'id')).toEqual([]);
  expect(await messages('users', 'name')).toEqual([
    ['db', 'flow "save": to: conflict: "name" is neither the primary key nor a unique key of users'],
  ]);
  expect(await messages('users', 'nope')).toEqual([['db', 'flow "save": to: conflict: users has no column "nope"']]);
  await connector.close();
});
