import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestServer, testServer } from '../../../runtime/src/connectors/database/mongodb/testing/server.ts';
import { MongodbStandIn } from '../../support/servers/mongodb/stand-in.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type Answer, copyConfiguration, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '../../../examples/documents');

let server: TestServer;
let service: Scenario;
let env: Record<string, string>;

beforeAll(async () => {
  server = await testServer();
  const uri = `mongodb://${server.credentials}${server.host}:${server.port}/?directConnection=true`;
  env = { MONGODB_URI: uri, MONGODB_DATABASE: server.name };
  service = await startScenario(folder, { env });
});

afterAll(async () => {
  await service?.end();
  await server?.stop();
});

const shown = ({ status, body }: Answer) => ({ status, body });
const ask = async (method: string, path: string, body?: object) => shown(await service.ask(method, path, body));
const left = async () => (await server.database.collection('stock').findOne())?.['left'];
const order = (count: number) => ({ customer: 'Ada', total: 20 * count, lines: [{ sku: 'lamp', count }] });

describe('the example with documents', () => {
  test('R-93: takes an order and its stock together, or nothing', async () => {
    expect((await ask('POST', '/stock', { _id: 'lamp', left: 5 })).status).toBe(200);
    const taken = await ask('POST', '/orders', order(2));
    expect(taken).toEqual({ status: 200, body: { id: expect.stringMatching(/^[0-9a-f]{24}$/) } });
    expect(await left()).toBe(3);
    expect(await ask('POST', '/orders', order(4))).toEqual({ status: 409, body: { error: 'too little is left' } });
    expect([await left(), await server.database.collection('orders').countDocuments()]).toEqual([3, 1]);
    const { id } = taken.body as { readonly id: string };
    expect(await ask('PUT', `/orders/${id}`, {})).toEqual({ status: 200, body: { affected: 1 } });
  });

  test('finds orders by named operations, and refuses what they do not take', async () => {
    expect((await ask('GET', '/orders?from=10')).body).toMatchObject([{ customer: 'Ada', total: 40, state: 'paid' }]);
    expect((await ask('GET', '/orders?from=41')).body).toEqual([]);
    expect((await ask('GET', '/sales/paid')).body).toEqual([{ _id: 'Ada', total: 40 }]);
    for (const path of ['/orders?from=-1', '/orders?limit=501', '/sales/lost'])
      expect((await ask('GET', path)).status).toBe(400);
    expect((await ask('POST', '/stock', { _id: { $ne: null } })).status).toBe(400);
  });

  test('writes changes to a log', async () => {
    const log = () => server.database.collection('order_log').find().toArray();
    await until(async () => (await log()).length === 2);
    expect((await log()).map(({ what }) => what)).toEqual(['insert', 'update']);
  });

  test('R-17, A-07: fifty reloads end no change stream; every change is logged once', async () => {
    const log = server.database.collection('order_log');
    const before = await log.countDocuments();
    const orders = server.database.collection<{ _id: string }>('orders');
    const reloads = async () => (await service.metric('svc_reloads_total')) ?? 0;
    for (let at = 0; at < 50; at++) {
      const done = await reloads();
      await orders.insertOne({ _id: `o${at}` });
      service.write('flows/extra.hcl', extra(at));
      process.kill(service.pid, 'SIGHUP');
      await until(async () => (await reloads()) > done);
    }
    await until(async () => (await log.countDocuments()) === before + 50);
    const ids = (await log.find().toArray()).map(({ order: id }) => id).filter((id) => String(id).startsWith('o'));
    expect(ids.sort()).toEqual(Array.from({ length: 50 }, (_, at) => `o${at}`).sort());
    expect((await server.database.collection('_svc_resume').find().toArray()).length).toBe(1);
  }, 120_000);
});

const extra = (at: number) => `
flow "extra" {
  from {
    connector = "api"
    operation = "GET /extra"
  }
  response {
    at = "${at}"
  }
}
`;

describe('the commands', () => {
  test('`svc trace --dry-run` reads inside a transaction, and writes nothing', async () => {
    const count = await server.database.collection('orders').countDocuments();
    const input = JSON.stringify(order(1));
    const { code, stdout, stderr } = await runCommand(
      ['trace', 'take_order', '--dry-run', '--input', input, '-c', copyConfiguration(folder)],
      env,
    );
    expect({ code, stderr: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('dry_run');
    expect(await server.database.collection('orders').countDocuments()).toBe(count);
  });

  test('`svc check` says what cannot be reached, and why', async () => {
    const users = [{ name: 'shop', password: 'right-secret', database: 'admin' }];
    const [guarded, standalone] = [
      await MongodbStandIn.start({ users }),
      await MongodbStandIn.start({ isReplicaSet: false }),
    ];
    const check = async (uri: string) => {
      const { code, stdout } = await runCommand(['check', '--timeout', '5s', '-c', copyConfiguration(folder)], {
        ...env,
        MONGODB_URI: uri,
      });
      return [code, /^\w+ +shop .*$/m.exec(stdout)?.[0] ?? stdout];
    };
    const direct = '/?directConnection=true&authSource=admin&serverSelectionTimeoutMS=1000';
    expect(await check(env['MONGODB_URI'] ?? '')).toEqual([0, expect.stringMatching(/^ok /)]);
    expect(await check(`mongodb://shop:right-secret@127.0.0.1:${guarded.port}${direct}`)).toEqual([
      0,
      expect.stringMatching(/^ok /),
    ]);
    const [code, line] = await check(`mongodb://shop:wrong-secret@127.0.0.1:${guarded.port}${direct}`);
    expect([code, line]).toEqual([1, expect.stringMatching(/^failed .*refused the credentials/)]);
    expect(line).not.toContain('secret');
    expect(await check(`mongodb://127.0.0.1:1${direct}`)).toEqual([1, expect.stringMatching(/^failed /)]);
    expect(await check(`mongodb://127.0.0.1:${standalone.port}${direct}`)).toEqual([
      0,
      expect.stringMatching(/^partly .*not a replica set/),
    ]);
    await Promise.all([guarded.stop(), standalone.stop()]);
  });
});
