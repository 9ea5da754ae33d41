import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { MysqlDatabase, mysqlUrl } from '../../connectors/database/mysql/testing/database.ts';
import { compilePlan } from '../../engine/plan/compile.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { HttpListener } from '../../platform/http/sockets/listener.ts';
import { loadService } from './load.ts';
import { createService } from './service.ts';
import { memoryLog } from './testing/fakes.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const flow = (name: string, operation: string, lines: string) =>
  `flow "${name}" {\n${lines}\n from {\n  connector = "api"\n  operation = "${operation}"\n }\n`;
const toUsers = (lines = '') => ` to {\n  connector = "db"\n  target = "users"\n  ${lines}\n }\n}\n`;
const user = `type "user" {
 id = id({ required = false })
 full_name = string
 odd = string({ required = false })
}
`;

/** A service with these flows behind a GraphQL server, and what it answers. */
async function service(database: string, flows: string, prepare: (directory: string) => unknown = () => undefined) {
  const directory = mkdtempSync(join(tmpdir(), 'svc-graphql-'));
  ends.push(() => rmSync(directory, { recursive: true }));
  const api = 'connector "api" {\n type = "graphql"\n host = "127.0.0.1"\n port = 0\n}\n';
  const db = `connector "db" {\n type = "database"\n ${database}\n}\n`;
  writeFileSync(join(directory, 'main.hcl'), `service {\n admin_port = 0\n}\n${api}${db}${user}${flows}`);
  await prepare(directory);
  const service = createService({
    load: () =>
      loadService(
        directory,
        { environment: {}, workingDirectory: directory, workers: 1 },
        'development',
        (project, engine) => compilePlan(project, { engine }),
      ),
    createListener: (connectors, application) => new HttpListener(connectors, application),
    log: memoryLog().log,
    clock: systemClock,
    environment: 'development',
    production: false,
    directory,
    productVersion: '0.0.0',
  });
  const { addresses } = await service.start();
  ends.push(() => service.stop());
  return async (query: string) => {
    const answer = await fetch(`http://127.0.0.1:${addresses.get('api')?.port}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return (await answer.json()) as { data?: unknown; errors?: { message: string }[] };
  };
}

/** Reading the column `odd` fails. */
const users = `CREATE TABLE people (id INTEGER PRIMARY KEY, full_name TEXT);
  CREATE VIEW users AS SELECT id, full_name, abs(id - id - 9223372036854775807 - 1) AS odd FROM people`;

function sqlite(directory: string): void {
  const db = new DatabaseSync(join(directory, 'main.db'));
  db.exec(users);
  db.exec(`INSERT INTO people (id, full_name) VALUES (1, 'Ada'), (2, 'Bob')`);
  db.close();
}

const onSqlite = 'driver = "sqlite"\n database = "main.db"';

test('a table is read with the columns that are selected, where only the caller reads its rows', async () => {
  const kept = flow(
    'kept',
    'Query.kept',
    ' returns = "user[]"\n cache {\n  storage = "memory"\n  key = "kept"\n  ttl = "1m"\n }',
  );
  const ask = await service(
    onSqlite,
    `${flow('users', 'Query.users', ' returns = "user[]"')}${toUsers()}
connector "memory" {
 type = "cache"
 driver = "memory"
}
${kept}${toUsers()}`,
    sqlite,
  );
  expect(await ask('{ users { full_name } }')).toEqual({
    data: { users: [{ full_name: 'Ada' }, { full_name: 'Bob' }] },
  });
  expect((await ask('{ users { full_name odd } }')).errors?.[0]?.message).toContain('overflow');
  // An answer that is kept for others has every column.
  expect((await ask('{ kept { full_name } }')).errors?.[0]?.message).toContain('overflow');
});

test('expressions ask what is selected, also for each row', async () => {
  const ask = await service(
    onSqlite,
    `${flow('users', 'Query.users', ' returns = "user[]"\n transform {\n  id = "input.id"\n  full_name = "has_field(input, \'id\') ? \'with id\' : \'alone\'"\n }')}${toUsers()}
${flow('asked', 'Query.asked', ' returns = "user"\n transform {\n  full_name = "requested_fields(input).join(\',\')"\n }')}}`,
    (directory) => {
      const db = new DatabaseSync(join(directory, 'main.db'));
      db.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY); INSERT INTO users VALUES (1)`);
      db.close();
    },
  );
  expect(await ask('{ a: users { full_name } }')).toEqual({ data: { a: [{ full_name: 'alone' }] } });
  expect(await ask('{ b: users { id full_name } }')).toEqual({ data: { b: [{ id: '1', full_name: 'with id' }] } });
  expect(await ask('{ asked { odd full_name } }')).toEqual({
    data: { asked: { odd: null, full_name: 'odd,full_name' } },
  });
});

test('a mutation answers the record that it made, and a Boolean one whether it wrote', async () => {
  const ask = await service(
    onSqlite,
    `${flow('create', 'Mutation.createUser', ' returns = "user"')}${toUsers()}
${flow('remove', 'Mutation.deleteUser', ' returns = "Boolean"')}${toUsers()}`,
    (directory) => {
      const db = new DatabaseSync(join(directory, 'main.db'));
      db.exec(`CREATE TABLE users (id INTEGER PRIMARY KEY, full_name TEXT, odd TEXT DEFAULT 'made')`);
      db.close();
    },
  );
  expect(await ask('mutation { createUser(input: {full_name: "Ada"}) { id full_name odd } }')).toEqual({
    data: { createUser: { id: '1', full_name: 'Ada', odd: 'made' } },
  });
  expect(await ask('mutation { a: deleteUser(input: {id: 1}) b: deleteUser(input: {id: 1}) }')).toEqual({
    data: { a: true, b: false },
  });
});

test.skipIf(mysqlUrl === undefined)('a record is read back where the driver gives its key alone', async () => {
  const database = new MysqlDatabase();
  await database.create();
  ends.push(() => database.drop());
  await database.run(
    `CREATE TABLE users (id INTEGER AUTO_INCREMENT PRIMARY KEY, full_name VARCHAR(100), odd VARCHAR(20) DEFAULT 'made')`,
  );
  const ask = await service(
    `driver = "mysql"\n url = "${database.url}"`,
    `${flow('create', 'Mutation.createUser', ' returns = "user"')}${toUsers()}`,
  );
  expect(await ask('mutation { createUser(input: {full_name: "Ada"}) { id full_name odd } }')).toEqual({
    data: { createUser: { id: '1', full_name: 'Ada', odd: 'made' } },
  });
});
