import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { vocabulary } from '../../../checks/vocabulary.ts';
import { never, sql, sqliteConnector } from '../../../connectors/database/testing/parts.ts';
import { unknownKeys } from './captured-keys.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

test('a captured key that cannot be determined is refused at start, in loops and reusable transactions too', async () => {
  const exec = (table: string, more = 'capture = "id"') =>
    `exec {\n query = "INSERT INTO ${table} (a, b) VALUES (1, 2)"\n ${more}\n }`;
  const flow = (name: string, body: string) => `
flow "${name}" {
  from {
    connector = "api"
    operation = "POST /${name}"
  }
  to {
    connector = "db"
    transaction {
      ${body}
    }
  }
}
`;
  const text = `
connector "api" {
  type = "rest"
  port = 3000
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
transaction "shared" {
  ${exec('shared')}
}
${flow('fine', exec('orders'))}
${flow('not_asked', exec('pairs', ''))}
${flow('not_there', exec('later'))}
`;
  const load = (more: string) => {
    const project = loadProject([{ path: 'a.hcl', text: text + more }], { vocabulary, host, expressionFunctions: [] });
    expect(project.diagnostics).toEqual([]);
    return project;
  };
  const connector = sqliteConnector({ database: ':memory:' });
  await connector.open(never);
  await sql(connector, 'CREATE TABLE orders (id INTEGER PRIMARY KEY, a, b)');
  for (const table of ['pairs', 'shared'])
    await sql(connector, `CREATE TABLE ${table} (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID`);
  const messages = async (more: string) =>
    [...(await unknownKeys(load(more), new Map([['db', connector]])))].map(([name, { message }]) => [name, message]);
  expect(await messages('')).toEqual([]);
  const refused = (name: string, table: string) => [
    ['db', expect.stringMatching(new RegExp(`^flow "${name}": .*"id".*"${table}" cannot be determined`))],
  ];
  expect(await messages(flow('loop', `each "line" in "input.lines" {\n ${exec('pairs')}\n }`))).toEqual(
    refused('loop', 'pairs'),
  );
  expect(await messages(flow('reused', 'use = "transaction.shared"'))).toEqual(refused('reused', 'shared'));
  await connector.close();
});
