import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, test } from 'vitest';
import { Conversation, type Started, startDebugged } from './conversation.ts';

const orders = (file: string) => `connector "db" {
  type     = "database"
  driver   = "sqlite"
  database = "${file}"
}
transform "priced" {
  total = "input.price * double(input.count)"
}
type "order" {
  price = number({ min = 0 })
  count = integer
  note  = string({ required = false })
}
flow "place" {
  from {
    connector = "api"
    operation = "POST /orders"
  }
  validate { input = "order" }
  step "known" {
    connector = "db"
    query     = "SELECT count(*) AS orders FROM orders WHERE total > :least"
    params    = { least = "input.price" }
  }
  transform {
    use   = "priced"
    large = "output.total > 100.0"
  }
  to {
    connector = "db"
    target    = "orders"
  }
  response { placed = "output.id" }
}
`;

const headers = { 'user-agent': 'test' };
let stop: (() => Promise<void>) | undefined;
afterEach(async () => {
  await stop?.();
  stop = undefined;
});

async function startOrders(): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-orders-'));
  const file = join(folder, 'orders.db');
  const database = new DatabaseSync(file);
  database.exec('CREATE TABLE orders (id INTEGER PRIMARY KEY, total REAL, large INTEGER)');
  database.close();
  const started = await startDebugged(orders(file));
  stop = async () => {
    await started.stop();
    rmSync(folder, { recursive: true });
  };
  return started;
}

test('a whole conversation: stage and rule breakpoints, stepping, variables, evaluation', async () => {
  const { service, ask } = await startOrders();
  const client = await Conversation.open(service);
  await client.call('debug.attach', { clientName: 'transcript', capabilities: ['pause', 'runTo', 'log'] });
  await client.call('debug.setBreakpoints', {
    flow: 'place',
    breakpoints: [
      { stage: 'validate_input', ruleIndex: -1 },
      { stage: 'transform', ruleIndex: 1, condition: 'output.total > 100.0' },
    ],
  });
  await client.call('debug.ready');
  const answer = ask('/orders', { price: 70, count: 2 }, headers);
  const { threadId } = await client.event('event.stopped');
  await client.call('debug.threads');
  await client.call('debug.variables', { threadId });
  await client.call('debug.next', { threadId });
  await client.event('event.stopped');
  await client.call('debug.stepInto', { threadId });
  await client.event('event.stopped');
  await client.call('debug.next', { threadId });
  await client.event('event.stopped');
  await client.call('debug.continue', { threadId });
  await client.event('event.stopped');
  await client.call('debug.variables', { threadId });
  await client.call('debug.evaluate', { threadId, expression: 'output.total * 2.0' });
  await client.call('debug.evaluate', { threadId, expression: 'step.known' });
  await client.call('debug.evaluate', { threadId, expression: 'input.missing' });
  await client.call('debug.evaluate', { threadId, expression: 'input.' });
  await client.call('debug.setVariable', { threadId, path: ['output', 'total'], value: 5 });
  await client.call('debug.page', { threadId, path: ['output'] });
  await client.call('debug.runTo', { threadId, stage: 'response' });
  await client.event('event.stopped');
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await answer}`);
  await client.event('event.flowEnd');
  await client.call('debug.detach');
  await client.call('debug.threads');
  await expect(client.text).toMatchFileSnapshot('./stepping.txt');
});

test('everything that is refused, and how', async () => {
  const { service, ask } = await startOrders();
  const client = await Conversation.open(service);
  await client.say('{');
  await client.say('[]');
  await client.say('{"id":1,"method":"debug.attach"}');
  await client.call('debug.threads');
  await client.call('debug.unheard');
  await client.call('debug.attach', { clientName: 7 });
  await client.call('debug.attach');
  await client.call('debug.attach');
  await client.call('debug.unheard');
  await client.call('debug.setBreakpoints', { flow: 'plaice', breakpoints: [] });
  await client.call('debug.setBreakpoints', { flow: 'place' });
  await client.call('debug.setBreakpoints', { flow: 'place', breakpoints: [{ stage: 'transform' }] });
  await client.call('debug.setBreakpoints', {
    flow: 'place',
    breakpoints: [
      { stage: 'transmogrify', ruleIndex: -1 },
      { stage: 'transform', ruleIndex: 9 },
      { stage: 'sanitize', ruleIndex: 0 },
      { stage: 'step', ruleIndex: -1, name: 'unknown' },
      { stage: 'transform', ruleIndex: 0, condition: 'input.' },
      { stage: 'transform', ruleIndex: 0, condition: 'inptu.price > 1.0' },
      { stage: 'step', ruleIndex: 0, name: 'known', condition: '' },
    ],
  });
  await client.call('debug.continue', { threadId: 't0' });
  await client.call('debug.variables', { threadId: 't0' });
  await client.call('debug.evaluate', { threadId: 't0' });
  await client.call('debug.consume', { connector: 'api' });
  await client.call('debug.consume', { connector: 'nowhere' });
  await client.call('debug.consume', {});
  await client.call('inspect.flow', { name: 'plaice' });
  const answer = ask('/orders', { price: 1, count: 1 }, headers);
  const { threadId } = await client.event('event.stopped');
  await client.call('debug.page', { threadId, path: ['secrets'] });
  await client.call('debug.page', { threadId, path: ['input', 'headers', 'authorization'] });
  await client.call('debug.setVariable', { threadId, path: ['input'], value: 1 });
  await client.call('debug.setVariable', { threadId, path: ['input', '__proto__', 'x'], value: 1 });
  await client.call('debug.runTo', { threadId, stage: 'nowhere' });
  await client.call('debug.pause', { threadId });
  await client.call('debug.continue', { threadId });
  await client.event('event.flowEnd');
  await client.call('debug.continue', { threadId });
  client.note(`the caller reads ${await answer}`);
  await expect(client.text).toMatchFileSnapshot('./refusals.txt');
});

test('inspection of flows, connectors, types and transforms', async () => {
  const { service } = await startOrders();
  const client = await Conversation.open(service);
  await client.call('debug.attach', {});
  await client.call('inspect.flows');
  await client.call('inspect.connectors');
  await client.call('inspect.types');
  await client.call('inspect.transforms');
  await expect(client.text).toMatchFileSnapshot('./inspection.txt');
});

test('two clients: the union of their breakpoints, either resumes, the dead one holds nothing', async () => {
  const { service, ask } = await startDebugged(`flow "f" {
  from {
    connector = "api"
    operation = "GET /f"
  }
  transform {
    a = "1"
    b = "2"
  }
}`).then((started) => {
    stop = started.stop;
    return started;
  });
  const first = await Conversation.open(service, 'A');
  const second = await Conversation.open(service, 'B', first);
  await first.call('debug.attach', { clientName: 'first' });
  await second.call('debug.attach', { clientName: 'second' });
  await first.call('debug.setBreakpoints', { flow: 'f', breakpoints: [{ stage: 'transform', ruleIndex: 0 }] });
  await second.call('debug.setBreakpoints', { flow: 'f', breakpoints: [{ stage: 'transform', ruleIndex: 1 }] });
  const answer = ask('/f', undefined, headers);
  const { threadId } = await first.event('event.stopped');
  await second.event('event.stopped');
  await second.call('debug.continue', { threadId });
  await second.event('event.stopped');
  second.note('B dies while its breakpoint holds the thread');
  second.close();
  first.note(`the caller reads ${await answer}`);
  await first.event('event.flowEnd');
  await first.call('debug.threads');
  await expect(first.text).toMatchFileSnapshot('./two-clients.txt');
});
