import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { copyConfiguration, migrate } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

let directory: string;
let payments: Upstream;

beforeAll(async () => {
  payments = await startUpstream(({ method }) => ({ body: method === 'GET' ? { amount: 4 } : { done: true } }));
});

beforeEach(async () => {
  directory = copyConfiguration(import.meta.dirname);
  payments.received.splice(0);
  await migrate(directory, ['db'], { PAYMENTS: payments.address });
  return () => rmSync(directory, { recursive: true });
});

afterAll(() => payments.close());

const trace = (words: readonly string[], input?: string) =>
  runCommand(['trace', ...words, '-c', directory], { PAYMENTS: payments.address }, input);

function orders(): unknown[] {
  const database = new DatabaseSync(join(directory, 'shop.db'));
  try {
    return database.prepare('SELECT item, amount FROM orders').all();
  } finally {
    database.close();
  }
}

const tea = [{ item: 'tea', amount: 2.5 }];
const order = '{"kind": "order", "item": "cup"}';

test('a dry run asks what may be asked, changes nothing and sends nothing', async () => {
  const { code, stdout, stderr } = await trace(['buy', '--dry-run', '--format', 'json', '--input', order]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(payments.received.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /prices/cup']);
  expect(orders()).toEqual(tea);
  const { run, outcome } = JSON.parse(stdout);
  const payload = { item: 'cup', amount: 4 };
  const db = { dry_run: true, operation: 'create', target: 'orders', payload };
  const receipts = { dry_run: true, operation: 'POST /receipts', payload };
  expect(
    run.stages.flatMap(({ stage, simulated }: { stage: string; simulated: object[] }) =>
      simulated.map((each) => ({ stage, ...each })),
    ),
  ).toEqual([
    {
      stage: 'step',
      connector: 'payments',
      operation: 'POST /charges',
      answer: { dry_run: true, operation: 'POST /charges', payload: { amount: 4 } },
    },
    { stage: 'write', connector: 'db', operation: 'create', answer: db },
    { stage: 'write', connector: 'payments', operation: 'POST /receipts', answer: receipts },
  ]);
  expect(run.simulated).toEqual([
    { connector: 'kept', operation: 'cache delete', answer: { dry_run: true, operation: 'delete', keys: ['orders'] } },
  ]);
  expect(outcome).toEqual({
    kind: 'reply',
    value: { results: { db, payments: receipts }, errors: {}, success: true },
  });
});

test('the same run for real changes and sends', async () => {
  const { code } = await trace(['buy', '--input', order]);
  expect(code).toBe(0);
  expect(payments.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
    'GET /prices/cup',
    'POST /charges',
    'POST /receipts',
  ]);
  expect(orders()).toEqual([...tea, { item: 'cup', amount: 4 }]);
});

test('statements of a transaction and entries of a cache stay what they were', async () => {
  const booked = await trace(['book', '--dry-run', '--input', '{"item": "tea"}']);
  expect(booked.code).toBe(0);
  expect(booked.stdout).toContain('[dry-run] db: transaction not done: ');
  expect(orders()).toEqual(tea);
  const { code, stdout } = await trace(['orders', '--dry-run']);
  expect(code).toBe(0);
  expect(stdout).toContain('[dry-run] kept: cache set not done: ');
  expect(stdout).toContain('"item":"tea"');
});

test('R-35: a drop is explained, and is not a failure', async () => {
  const { code, stdout } = await trace(['buy', '--input', '{"kind": "gift"}']);
  expect(code).toBe(0);
  expect(stdout).toMatch(/dropped by filter in [\d.]+ ms: input\.kind == 'order'\n {2}input\.kind = "gift"\n/);
});

test('a connector that cannot be reached stops only the flow that uses it', async () => {
  const { code, stdout, stderr } = await trace(['archive', '--input', '{"id": 1}']);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/svc trace: connector "away" \(database postgres\) cannot be used: connection refused: /);
});

test('commands of standard input step through the flow; the flow that is quit writes nothing', async () => {
  const whole = await trace(['buy', '--break-at', 'step:charge', '--input', order], 'p step.price.amount\nc\n');
  expect(whole.code).toBe(0);
  expect(whole.stderr).toContain('stopped before step charge (breakpoint)\n  --> flows.hcl:12\n');
  expect(whole.stderr).toContain('(svc) 4  (');
  const quit = await trace(['buy', '--break-at', 'write:db', '--input', order], 'q\n');
  expect({ code: quit.code, stdout: quit.stdout }).toEqual({ code: 0, stdout: '' });
  expect(orders()).toEqual([...tea, { item: 'cup', amount: 4 }]);
});
