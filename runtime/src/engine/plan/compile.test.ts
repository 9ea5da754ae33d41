import { type ConfigurationHost, loadProject } from '@svc/protocol/model';
import { expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { vocabulary } from '../../checks/vocabulary.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { compilePlan } from './compile.ts';
import { planServices } from './testing/plan-services.ts';
import { messageOf } from './testing/service.ts';

const host: ConfigurationHost = { env: () => undefined, readFile: () => '', absolutePath: (path) => path };
const _quiet = () => undefined;

/** Flows over the real SQLite connector, which answers at once. */
async function serveSqlite(flows: string) {
  const text = `connector "api" {
  type = "rest"
  port = 0
}
connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
${flows}`;
  const project = loadProject([{ path: 'a.hcl', text }], { vocabulary, host, expressionFunctions: [] });
  expect(project.diagnostics).toEqual([]);
  const plan = compilePlan(project);
  const services = connectorServices();
  const made = new Map<string, Connector>();
  for (const planned of plan.connectors) made.set(planned.name, await planned.make(services));
  const db = made.get('db') as Connector;
  await db.open(new AbortController().signal);
  const { bindings } = plan.bind(made, planServices(services));
  return {
    deliver(flow: string, input: Record<string, unknown>, addressed: readonly string[] = []) {
      const binding = bindings.get('api')?.find((each) => each.flow === flow);
      if (!binding) throw new Error(`there is no flow ${flow}`);
      return binding.deliver(messageOf(input, { addressed }));
    },
    [Symbol.asyncDispose]: () => db.close(),
  };
}

const flow = (name: string, operation: string, body: string) =>
  `flow "${name}" {\n  from {\n    connector = "api"\n    operation = "${operation}"\n  }\n  ${body}\n}\n`;
const users = 'to {\n    connector = "db"\n    target    = "users"\n  }';
const schema = flow(
  'schema',
  'POST /schema',
  'to {\n    connector = "db"\n    query     = "CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT UNIQUE, age INTEGER)"\n  }',
);
const answer = (outcome: Outcome | Promise<Outcome>) => {
  // Nothing in these flows waits, so nothing may have answered with a promise.
  expect(outcome).not.toBeInstanceOf(Promise);
  return (outcome as { value: unknown }).value;
};

test('rows are created, read, changed and deleted without a single turn of the event loop', async () => {
  await using service = await serveSqlite(
    schema +
      flow(
        'create',
        'POST /users',
        `transform {\n    name = "trim(input.name)"\n    age  = "int(input.age) + 1"\n  }\n  ${users}`,
      ) +
      flow('list', 'GET /users', users) +
      flow('get', 'GET /users/:id', `${users}\n  response { next = "output.age + 1" }`) +
      flow('change', 'PUT /users/:id', users) +
      flow('remove', 'DELETE /users/:id', users),
  );
  answer(service.deliver('schema', {}));
  expect(answer(service.deliver('create', { name: ' Ann ', age: 40 }))).toEqual({ id: 1, affected: 1 });
  expect(answer(service.deliver('list', { sort: 'x' }))).toEqual([{ id: 1, name: 'Ann', age: 41 }]);
  expect(answer(service.deliver('get', { id: '1' }, ['id']))).toEqual({ next: 42n });
  expect(answer(service.deliver('change', { id: '1', age: 7 }, ['id']))).toEqual({ affected: 1 });
  expect(answer(service.deliver('list', {}))).toEqual([{ id: 1, name: 'Ann', age: 7 }]);
  expect(() => service.deliver('change', { age: 7 })).toThrow(expect.objectContaining({ code: 'filter_missing' }));
  expect(() => service.deliver('remove', {})).toThrow(expect.objectContaining({ code: 'filter_missing' }));
  expect(() => service.deliver('change', { id: '1', role: 'admin' }, ['id'])).toThrow(
    expect.objectContaining({ code: 'value_refused' }),
  );
  expect(answer(service.deliver('remove', { id: '1' }, ['id']))).toEqual({ affected: 1 });
  expect(answer(service.deliver('list', {}))).toEqual([]);
});

test('R-24: a loop over something that is not a list leaves no trace in the database', async () => {
  const all = `transaction {
      exec {
        query   = "INSERT INTO users (name) VALUES (:n)"
        params  = { n = "input.name" }
        capture = "first"
      }
      each "friend" in "input.friends" {
        exec {
          query  = "INSERT INTO users (name, age) VALUES (:n, :a)"
          params = { n = "friend", a = "captured.first" }
        }
      }
    }`;
  await using service = await serveSqlite(
    schema +
      flow('add', 'POST /all', `to {\n    connector = "db"\n    ${all}\n  }`) +
      flow('list', 'GET /users', users),
  );
  service.deliver('schema', {});
  await expect(service.deliver('add', { name: 'A', friends: 'Ben' })).rejects.toThrow('needs a list, not a text');
  await expect(service.deliver('add', { name: 'A', friends: ['Ben', 'Ben'] })).rejects.toMatchObject({
    code: 'constraint_violated',
  });
  expect(answer(service.deliver('list', {}))).toEqual([]);
  expect(await service.deliver('add', { name: 'A' })).toMatchObject({
    value: { affected: 1, captured: { first: 1n } },
  });
  expect(await service.deliver('add', { name: 'B', friends: ['C'] })).toMatchObject({ value: { affected: 2 } });
  expect(answer(service.deliver('list', {}))).toEqual([
    { id: 1, name: 'A', age: null },
    { id: 2, name: 'B', age: null },
    { id: 3, name: 'C', age: 2 },
  ]);
});
