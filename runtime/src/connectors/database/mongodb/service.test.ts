import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadProject } from '@svc/protocol/model';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freePort } from '../../../../../test/support/free-port.ts';
import { until } from '../../../../../test/support/until.ts';
import { projectRules } from '../../../checks/project-rules.ts';
import { vocabulary } from '../../../checks/vocabulary.ts';
import { compilePlan } from '../../../engine/plan/compile.ts';
import { createService, type Service } from '../../../service/running/service.ts';
import { loaded, setup } from '../../../service/running/testing/fakes.ts';
import { loadFactory } from '../../registry.ts';
import { type TestServer, testServer } from './testing/server.ts';

const example = readFileSync(join(import.meta.dirname, 'example.hcl'), 'utf8');

let server: TestServer;
let service: Service | undefined;
let port: number;
beforeEach(async () => {
  server = await testServer();
  port = await freePort();
});
afterEach(async () => {
  await service?.stop();
  await server.stop();
});

/** The example on the page of the connector, with a port and a database of this test, and what is written beside it. */
function configured(more: string, written: string) {
  const text = written
    .replace('port = 3000', `port = ${port}`)
    .replace('"shop"\n  collections', `"${server.name}"\n  collections`);
  const uri = `mongodb://${server.credentials}${server.host}:${server.port}/?directConnection=true`;
  const host = { env: () => uri, readFile: () => '', absolutePath: (path: string) => path };
  const files = [{ path: 'service.hcl', text: `${text}\n${more}` }];
  return loadProject(files, { vocabulary, host, expressionFunctions: ['now', 'timestamp'] }, projectRules);
}

async function start(more: string, written = example) {
  const project = configured(more, written);
  expect(project.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  const { parts, lines } = setup(async () => loaded(compilePlan(project, { load: loadFactory })));
  service = createService(parts);
  await service.start();
  return lines;
}

async function ask(method: string, path: string, body?: object) {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

const more = `flow "sales" {
  from {
    connector = "api"
    operation = "GET /sales/:state"
  }
  to {
    connector = "shop"
    operation = "sales"
  }
}
flow "order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  step "found" {
    connector = "shop"
    operation = "FIND_ONE"
    target    = "orders"
    params    = { _id = "input.id", total = { "$gt" = 0 } }
  }
  step "paid" {
    connector = "shop"
    operation = "UPDATE"
    target    = "orders"
    params    = { _id = "input.id" }
    update    = { "$inc" = { seen = 1 } }
  }
  response {
    total = "step.found.total * 2"
    seen  = "step.paid.affected"
  }
}`;

test('flows read, write and take changes as they are configured', async () => {
  await start(more);
  const made = await ask('POST', '/orders', { customer: 'ann', state: 'open', total: 30 });
  const { id } = made.body as { readonly id: string };
  expect([made.status, id]).toEqual([200, expect.stringMatching(/^[0-9a-f]{24}$/)]);
  expect((await ask('GET', '/orders?from=10')).body).toEqual([{ _id: id, customer: 'ann', state: 'open', total: 30 }]);
  expect((await ask('GET', `/orders/${id}`)).body).toEqual({ total: 60, seen: 1 });
  expect(await ask('PUT', `/orders/${id}`, { state: 'ignored' })).toEqual({ status: 200, body: { affected: 1 } });
  expect((await ask('GET', '/sales/paid')).body).toEqual([{ _id: 'ann', total: 30 }]);
  const [order] = await server.database.collection('orders').find().toArray();
  expect([order?.['state'], order?.['paid'], order?.['changes']]).toEqual(['paid', expect.any(Date), 1]);
  const log = server.database.collection('order_log');
  await until(async () => (await log.countDocuments()) === 3);
  expect((await log.find().toArray()).map(({ order: of, what }) => [of, what])).toEqual([
    [id, 'insert'],
    [id, 'update'],
    [id, 'update'],
  ]);
});

test('of a database that flows write to alone nothing is said as of a source', async () => {
  const written = example.slice(0, example.indexOf('flow "order_changed"')).replace(/ *changes \{[^}]*\}\n/, '');
  const lines = await start('', written);
  expect((await ask('POST', '/orders', { customer: 'ann' })).status).toBe(200);
  expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

const copying = `connector "rows" {
  type     = "database"
  driver   = "sqlite"
  database = ":memory:"
}
flow "copy" {
  from {
    connector = "api"
    operation = "POST /copy"
  }
  batch {
    source     = "rows"
    query      = "WITH RECURSIVE numbers (id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM numbers WHERE id < 2500) SELECT id FROM numbers ORDER BY id"
    chunk_size = 1250
    on_error   = "continue"
    transform {
      _id = "'n' + string(input.id)"
      n   = "input.id"
    }
    to {
      connector = "shop"
      target    = "orders"
    }
  }
}`;

test('R-95: a batch inserts many documents at once; those that the server refuses are counted, and no others', async () => {
  await server.database.collection<{ _id: string }>('orders').insertMany([{ _id: 'n3' }, { _id: 'n700' }]);
  await start(copying);
  expect(await ask('POST', '/copy', {})).toEqual({
    status: 200,
    body: {
      processed: 2498,
      failed: 2,
      chunks: 2,
      errors: [expect.stringMatching(/^chunk 1: E11000 duplicate key/)],
    },
  });
  expect(await server.database.collection('orders').countDocuments({ n: { $exists: true } })).toBe(2498);
});

test('S-50: a request cannot bring operators', async () => {
  await start('');
  const refused = await ask('POST', '/orders', { customer: { $ne: null } });
  expect([refused.status, refused.body]).toMatchObject([400, { error: expect.anything() }]);
  expect(await server.database.collection('orders').countDocuments()).toBe(0);
});
