import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { Conversation, startDebugged } from './conversation.ts';

const orders = (file: string) => `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "${file}"
}
flow "place" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  to {
    connector = "db"
    when      = "size(input.lines) > 0"
    transaction {
      exec {
        query   = "INSERT INTO orders (customer) VALUES (:customer)"
        params  = { customer = "input.customer" }
        capture = "order"
      }
      each "line" in "input.lines" {
        exec {
          when   = "line.count > 0"
          query  = "INSERT INTO lines (order_id, sku) VALUES (:order, :sku)"
          params = { order = "captured.order", sku = "line.sku" }
        }
      }
    }
  }
  response {
    http_status_code = "input.lines.size() > 1 ? 202 : 201"
    order            = "output.captured.order"
  }
}
`;

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

test('the statements of a transaction, conditions of destinations and the status of an answer are stops', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-transaction-'));
  const file = join(folder, 'orders.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT); CREATE TABLE lines (order_id, sku TEXT)');
  const { service, ask, stop: end } = await startDebugged(orders(file));
  stop = async () => {
    await end();
    database.close();
    rmSync(folder, { recursive: true });
  };
  const client = await Conversation.open(service);
  await client.call('debug.attach', { capabilities: ['restartStage'] });
  await client.call('inspect.flow', { name: 'place' });
  const breakAt = (stage: string, ruleIndex: number, condition?: string) =>
    client.call('debug.setBreakpoints', { flow: 'place', breakpoints: [{ stage, ruleIndex, condition }] });
  await breakAt('write', 0);
  const lines = [
    { sku: 'a', count: 1 },
    { sku: 'b', count: 0 },
  ];
  const answer = ask('/orders', { customer: 'Ann', lines });
  const { threadId } = await client.event('event.stopped');
  await client.call('debug.reading', { threadId });
  const after = async (method: string, params = {}) => {
    await client.call(method, { threadId, ...params });
    await client.event('event.stopped');
  };
  await after('debug.stepInto');
  await client.call('debug.reading', { threadId });
  await after('debug.stepInto');
  await after('debug.stepInto');
  client.note('in the loop, with a condition that reads its variable');
  await breakAt('write', 5, 'line.sku == "b" && line_index == 1');
  await after('debug.continue');
  await client.call('debug.reading', { threadId });
  await client.call('debug.evaluate', { threadId, expression: 'line.sku + string(captured.order)' });
  client.note('the transaction is rolled back and begins again');
  expect(database.prepare('SELECT * FROM orders').all()).toEqual([]);
  await breakAt('response', 1);
  await after('debug.restartStage');
  await after('debug.continue');
  await client.call('debug.reading', { threadId });
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await answer}`);
  await client.event('event.flowEnd');
  expect(database.prepare('SELECT * FROM orders').all()).toEqual([{ id: 1, customer: 'Ann' }]);
  expect(database.prepare('SELECT * FROM lines').all()).toEqual([{ order_id: 1, sku: 'a' }]);
  await expect(client.text).toMatchFileSnapshot('./transaction.txt');
});
