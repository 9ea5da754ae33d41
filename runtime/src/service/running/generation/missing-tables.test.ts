import { loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { recordingLog } from '../../../../../test/support/connector-services.ts';
import { vocabulary } from '../../../checks/vocabulary.ts';
import { never, sql, sqliteConnector } from '../../../connectors/database/testing/parts.ts';
import type { Generation } from './generation.ts';
import { tablesByConnector, warnOfMissingTables } from './missing-tables.ts';

const host = { env: () => undefined, readFile: () => '', absolutePath: (path: string) => path };

const flow = (name: string, to: string) => `
flow "${name}" {
  from {
    connector = "api"
    operation = "GET /${name}"
  }
  to {
    connector = "db"
    ${to}
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
  operation "all_users" {
    table = "users"
    param "limit" {
      type = "number"
    }
    param "state" {}
    param "page" {
      type = "number"
    }
  }
  operation "some_users" {
    query = "SELECT * FROM users"
  }
  operation "lost" {
    table = "lost"
    param "a" {}
  }
}
${flow('a', 'operation = "all_users"')}
${flow('b', 'target = "all_users"')}
${flow('c', 'target = "some_users"')}
${flow('d', 'operation = "lost"')}
${flow('e', 'target = "gone"')}
`;

test('tables of named operations are those that the operations work on, and parameters without effect are reported', async () => {
  const project = loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions: [] });
  expect(project.diagnostics).toEqual([]);
  expect(tablesByConnector(project)).toEqual(new Map([['db', new Set(['users', 'lost', 'gone'])]]));
  const connector = sqliteConnector({ database: ':memory:' });
  await connector.open(never);
  await sql(connector, 'CREATE TABLE users (id INTEGER PRIMARY KEY, state TEXT)');
  const log = recordingLog();
  const held = new Map([['db', { connector }]]);
  await warnOfMissingTables({ plan: { project }, connectors: held } as unknown as Generation, log);
  expect(log.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
    'warn: operation "all_users": parameter "page" is not a column of "users", so it has no effect',
    'warn: table "lost" does not exist; svc migrate applies the files under migrations/',
    'warn: table "gone" does not exist; svc migrate applies the files under migrations/',
  ]);
  await connector.close();
});
