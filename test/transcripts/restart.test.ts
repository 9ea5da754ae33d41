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
  step "known" {
    connector = "db"
    query     = "SELECT count(*) AS orders FROM orders WHERE total > :least"
    params    = { least = "input.price" }
  }
  transform {
    rate  = "step.known.orders + 1"
    total = "input.price * input.count"
  }
  to {
    connector = "db"
    target    = "orders"
    transform { total = "output.total + 0.0" }
  }
  response { placed = "output.id" }
}
flow "several" {
  from {
    connector = "api"
    operation = "POST /several"
  }
  transform { total = "input.price" }
  to {
    connector = "db"
    target    = "orders"
  }
  to {
    connector = "db"
    target    = "others"
  }
}
flow "tried" {
  from {
    connector = "api"
    operation = "POST /tried"
  }
  error_handling {
    retry { attempts = 2 }
  }
  transform { total = "input.price" }
}
`;

let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function start() {
  const folder = mkdtempSync(join(tmpdir(), 'svc-restart-'));
  const file = join(folder, 'orders.db');
  const database = new DatabaseSync(file);
  database.exec(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL); CREATE TABLE others (id INTEGER PRIMARY KEY, total REAL)',
  );
  const started = await startDebugged(orders(file));
  stop = async () => {
    await started.stop();
    database.close();
    rmSync(folder, { recursive: true });
  };
  const client = await Conversation.open(started.service);
  await client.call('debug.attach', { capabilities: ['restartStage', 'failure', 'runTo'] });
  const breakAt = (flow: string, stage: string, ruleIndex: number) =>
    client.call('debug.setBreakpoints', { flow, breakpoints: [{ stage, ruleIndex }] });
  /** Resumes the thread and waits for its next stop. */
  const after = async (method: string, params: object) => {
    await client.call(method, params);
    return (await client.event('event.stopped')) as { threadId: string };
  };
  return { ...started, client, breakAt, after, rows: () => database.prepare('SELECT id, total FROM orders').all() };
}

test('a stage begins again: the current one, an earlier one, one that failed; not once a write was carried out', async () => {
  const { client, ask, breakAt, after, rows } = await start();
  await client.call('debug.setFailureBreakpoints', { codes: ['*'] });
  await breakAt('place', 'transform', 1);
  const answer = ask('/orders', { price: 70, count: 'two' });
  const { threadId } = await client.event('event.stopped');
  await client.call('debug.variables', { threadId });
  await after('debug.restartStage', { threadId });
  await client.call('debug.variables', { threadId });
  client.note('the step is asked again');
  await after('debug.continue', { threadId });
  await after('debug.restartStage', { threadId, stage: 'step', name: 'known' });
  await client.call('debug.variables', { threadId });
  await after('debug.continue', { threadId });
  client.note('the rule fails, the value is put right, the stage begins again');
  await after('debug.continue', { threadId });
  await client.call('debug.setVariable', { threadId, path: ['input', 'count'], value: 2 });
  await breakAt('place', 'write', 0);
  await after('debug.restartStage', { threadId, stage: 'transform' });
  client.note('nothing is written yet: the write itself may begin again');
  await after('debug.continue', { threadId });
  await after('debug.restartStage', { threadId });
  await breakAt('place', 'response', 0);
  await after('debug.continue', { threadId });
  client.note('now it is written');
  await client.call('debug.restartStage', { threadId, stage: 'transform' });
  await client.call('debug.restartStage', { threadId, stage: 'write', name: 'db' });
  await client.call('debug.restartStage', { threadId, stage: 'cache_hit' });
  await client.call('debug.restartStage', { threadId, name: 'db' });
  await after('debug.restartStage', { threadId, stage: 'response' });
  await breakAt('place', 'validate_output', -1);
  await after('debug.continue', { threadId });
  await after('debug.restartStage', { threadId, stage: 'response' });
  await client.call('debug.variables', { threadId });
  await after('debug.continue', { threadId });
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await answer}`);
  await client.event('event.flowEnd');
  await client.call('debug.restartStage', { threadId });
  expect(rows()).toEqual([{ id: 1, total: 140 }]);
  await expect(client.text).toMatchFileSnapshot('./restart.txt');
});

test('what cannot begin again is refused with a reason', async () => {
  const { client, ask, breakAt } = await start();
  await breakAt('several', 'write', -1);
  const several = ask('/several', { price: 1 });
  const { threadId } = await client.event('event.stopped');
  await client.call('debug.restartStage', { threadId });
  await client.call('debug.restartStage', { threadId, stage: 'transform' });
  await breakAt('several', 'write', 5);
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await several}`);
  await client.event('event.flowEnd');
  await breakAt('tried', 'transform', 0);
  const tried = ask('/tried', { price: 1 });
  const { threadId: other } = (await client.event('event.stopped')) as { threadId: string };
  await client.call('debug.restartStage', { threadId: other, stage: 'sanitize' });
  await client.call('debug.continue', { threadId: other });
  client.note(`the caller reads ${await tried}`);
  await client.event('event.flowEnd');
  await expect(client.text).toMatchFileSnapshot('./restart-refusals.txt');
});
