import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'stock-grpc');
const proto = readFileSync(join(folder, 'proto', 'stock.proto'), 'utf8');
const { root } = protobuf.parse(proto, new protobuf.Root(), { keepCase: true });
const asIs = (bytes: Buffer) => bytes;
/** What the library says of a call whose server has gone, or goes. */
const gone = [status.UNAVAILABLE, status.CANCELLED, status.INTERNAL, status.UNKNOWN];

let port: number;
let service: Scenario;
const clients: Client[] = [];

async function start(): Promise<void> {
  port = await freePort();
  service = await startScenario(folder, {
    env: { GRPC_PORT: String(port) },
    prepare: (directory) => migrate(directory, ['db']),
  });
}

beforeAll(start);
afterAll(async () => {
  for (const client of clients) client.close();
  await service?.end();
});

/** A connection of its own. */
function connected(): Client {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), { 'grpc.use_local_subchannel_pool': 1 });
  clients.push(client);
  return client;
}

const encoded = (type: string, message: object) =>
  Buffer.from(root.lookupType(type).encode(root.lookupType(type).fromObject(message)).finish());
const decoded = (type: string, bytes: Buffer) =>
  root.lookupType(type).toObject(root.lookupType(type).decode(bytes), { longs: Number });

/** What editors are offered of a connector of a running service. */
async function knownOf({ admin }: Scenario, connector: string): Promise<unknown> {
  const client = await debugClient(admin);
  try {
    return await client.call('inspect.targets', { connector });
  } finally {
    await client.leave();
  }
}

function record(client: Client, sku: string, amount: number): Promise<unknown> {
  return new Promise((resolve, reject) =>
    client.makeUnaryRequest(
      '/stock.Stock/CreateMove',
      asIs,
      asIs,
      encoded('stock.NewMove', { sku, amount }),
      (error: ServiceError | null, answer) =>
        error === null ? resolve(decoded('stock.Move', answer as Buffer)) : reject(error),
    ),
  );
}

function list(client: Client, method: 'ListMoves' | 'StreamMoves', selection: object): Promise<unknown> {
  const bytes = encoded('stock.Selection', selection);
  return new Promise((resolve, reject) => {
    const path = `/stock.Stock/${method}`;
    if (method === 'ListMoves') {
      client.makeUnaryRequest(path, asIs, asIs, bytes, (error: ServiceError | null, answer) =>
        error === null ? resolve(decoded('stock.Moves', answer as Buffer)['moves'] ?? []) : reject(error),
      );
      return;
    }
    const moves: unknown[] = [];
    const call = client.makeServerStreamRequest(path, asIs, asIs, bytes);
    call.on('data', (answer: Buffer) => moves.push(decoded('stock.Move', answer)));
    call.on('error', reject);
    call.on('end', () => resolve(moves));
  });
}

test('moves are recorded, listed, streamed and seen over HTTP; what is wrong is explained', async () => {
  const client = connected();
  expect(await record(client, 'pears', 12)).toEqual({ id: 1, sku: 'PEARS', amount: 12 });
  expect(await record(client, 'figs', -3)).toEqual({ id: 2, sku: 'FIGS', amount: -3 });
  await expect(record(client, '', 1)).rejects.toMatchObject({
    code: status.INVALID_ARGUMENT,
    details: expect.stringContaining('sku'),
  });
  const moves = [
    { id: 1, sku: 'PEARS', amount: 12 },
    { id: 2, sku: 'FIGS', amount: -3 },
  ];
  for (const method of ['ListMoves', 'StreamMoves'] as const) {
    expect(await list(client, method, {})).toEqual(moves);
    expect(await list(client, method, { sku: 'FIGS' })).toEqual(moves.slice(1));
  }
  expect((await service.ask('GET', '/moves')).body).toEqual(moves);
  expect(await service.metric('svc_requests_in_flight{method="POST",path="/stock.Stock/CreateMove"}')).toBe(0);
});

test('a shop learns by reflection what it calls, and says which method does not exist', async () => {
  const env = { STOCK_ADDRESS: `127.0.0.1:${port}` };
  const shop = await startScenario(join(folder, '../stock-shop'), { env });
  try {
    const sale = await shop.ask('POST', '/sales', { sku: 'dates', amount: 3 });
    expect([sale.status, sale.body]).toEqual([201, { sku: 'DATES', left: -3 }]);
    expect((await shop.ask('GET', '/stock/DATES')).body).toEqual({ sku: 'DATES', moves: [-3], left: -3 });
    expect((await shop.ask('POST', '/sales', { sku: '', amount: 3 })).status).toBe(400);
    const methods = [
      { name: 'stock.Stock/CreateMove', kind: 'method', columns: ['sku', 'amount'] },
      { name: 'stock.Stock/ListMoves', kind: 'method', columns: ['sku'] },
      { name: 'stock.Stock/StreamMoves', kind: 'stream', columns: ['sku'] },
    ];
    expect(await knownOf(shop, 'stock')).toEqual(methods);
    expect(await knownOf(service, 'rpc')).toEqual(methods);
    const failed = (await shop.metric('svc_reload_failures_total')) ?? 0;
    const text = readFileSync(join(folder, '../stock-shop/sales.hcl'), 'utf8');
    shop.write('sales.hcl', text.replace('Stock/CreateMove', 'Stock/CreateMoves'));
    await until(async () => (await shop.metric('svc_reload_failures_total')) === failed + 1);
    await until(() => shop.log.includes('CreateMoves'));
    expect((await shop.ask('POST', '/sales', { sku: 'dates', amount: 1 })).body).toEqual({ sku: 'DATES', left: -4 });
  } finally {
    await shop.end();
  }
});

test('two clients beside each other get their own answers', async () => {
  const [one, other] = [connected(), connected()];
  const amounts = Array.from({ length: 100 }, (_, at) => at);
  const answers = await Promise.all(amounts.map((amount) => record(amount % 2 === 0 ? one : other, 'plums', amount)));
  expect(answers.map((answer) => (answer as { amount?: number }).amount ?? 0)).toEqual(amounts);
});

test('R-17, A-07: fifty reloads: a connection stays open, and every call is answered once', async () => {
  const client = connected();
  const text = readFileSync(join(folder, 'flows', 'moves.hcl'), 'utf8');
  const answers: Promise<unknown>[] = [];
  for (let round = 1; round <= 50; round++) {
    const before = (await service.metric('svc_reloads_total')) ?? 0;
    service.write('flows/moves.hcl', text.replace('upper(input.sku)', `upper(input.sku) + '-${round}'`));
    while (((await service.metric('svc_reloads_total')) ?? 0) === before) answers.push(record(client, 'nuts', 1));
  }
  answers.push(record(client, 'nuts', 1));
  const moves = (await Promise.all(answers)) as { readonly id: number; readonly sku: string }[];
  expect(new Set(moves.map(({ id }) => id)).size).toBe(answers.length);
  expect(moves.at(-1)?.sku).toBe('NUTS-50');
  expect(client.getChannel().getConnectivityState(false)).toBe(2);
});

/** Twenty connections with twenty calls each; half of them leave in the middle. Gives the codes of calls that failed. */
function callAndLeave(): Promise<readonly number[]> {
  const failed: number[] = [];
  const calls = Array.from({ length: 20 }, (_, at) => {
    const client = connected();
    const own = Array.from({ length: 20 }, (__, amount) =>
      record(client, 'figs', amount).catch(({ code }: ServiceError) => void failed.push(code)),
    );
    if (at >= 10) client.close();
    return own;
  });
  return Promise.all(calls.flat()).then(() => failed);
}

test('R-39: a signal, with clients that leave in the middle: it ends in order', async () => {
  const calls = callAndLeave();
  expect((await service.stop('SIGTERM')).code).toBe(0);
  expect(service.log).not.toMatch(/unhandled|uncaught/i);
  for (const code of await calls) expect(gone).toContain(code);
});

test('a service that is killed has kept what it answered, and serves again when it is started', async () => {
  await service.end();
  await start();
  const client = connected();
  const answered: number[] = [];
  const calls = Array.from({ length: 200 }, (_, amount) =>
    record(client, 'kiwis', amount).then(
      (move) => void answered.push((move as { id: number }).id),
      () => undefined,
    ),
  );
  await until(() => answered.length > 0);
  const { directory } = service;
  await service.stop('SIGKILL');
  await Promise.all(calls);
  const again = await startScenario(directory, { env: { GRPC_PORT: String(port) } });
  try {
    const kept = (await list(connected(), 'ListMoves', { sku: 'KIWIS' })) as { readonly id: number }[];
    const ids = new Set(kept.map(({ id }) => id));
    expect(answered.filter((id) => !ids.has(id))).toEqual([]);
  } finally {
    await again.end();
  }
});
