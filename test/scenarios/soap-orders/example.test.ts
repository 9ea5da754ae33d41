import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { runCommand, startService } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { copyConfiguration, migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/soap-orders');
let service: Scenario;
let soap: string;

beforeAll(async () => {
  const port = await freePort();
  soap = `http://127.0.0.1:${port}`;
  service = await startScenario(example, {
    env: { SOAP_PORT: String(port), PARTNER_URL: `${soap}/orders` },
    prepare: (directory) => migrate(directory, ['db']),
  });
});

afterAll(() => service?.end());

const order = {
  customer: 'ada',
  lines: [
    { sku: 'a', quantity: 2 },
    { sku: 'b', quantity: 3 },
  ],
};

test('an order by HTTP becomes one of the SOAP service, with a token, and is answered by its type', async () => {
  expect(await service.ask('POST', '/orders', order)).toMatchObject({
    status: 200,
    body: { id: '1', customer: 'ada', count: '5' },
  });
  const orders = await Promise.all(Array.from({ length: 20 }, () => service.ask('POST', '/orders', order)));
  expect(new Set(orders.map(({ body }) => (body as { id: string }).id)).size).toBe(20);
});

test('what its type refuses is a fault, and a request without a token is refused', async () => {
  const refused = await service.ask('POST', '/orders', { ...order, lines: [{ sku: 'a', quantity: 0 }] });
  expect([refused.status, refused.text]).toEqual([500, expect.stringContaining('SOAP Fault: [soap:Client]')]);
  const body =
    '<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><ListOrders/></s:Body></s:Envelope>';
  const bare = await fetch(soap, { method: 'POST', headers: { 'content-type': 'text/xml' }, body });
  expect([bare.status, await bare.text()]).toEqual([500, expect.stringContaining('wsse:InvalidSecurity')]);
  expect(await (await fetch(`${soap}/wsdl`)).text()).toContain('<wsdl:operation name="ListOrders">');
});

test('the WSDL that its client reads is the one that it serves', async () => {
  const { code, stdout } = await runCommand(['export', 'wsdl', '-c', example]);
  expect([code, stdout]).toEqual([0, readFileSync(join(example, 'partner/orders.wsdl'), 'utf8')]);
});

test('editors are offered the operations of a running service, of its server and of its client', async () => {
  const client = await debugClient(service.admin);
  try {
    const create = { name: 'CreateOrder', kind: 'operation', columns: ['customer', 'lines'] };
    const list = { name: 'ListOrders', kind: 'operation', columns: [] };
    expect(await client.call('inspect.targets', { connector: 'orders' })).toEqual([create, list]);
    expect(await client.call('inspect.targets', { connector: 'partner' })).toEqual([create, list]);
  } finally {
    await client.leave();
  }
});

test('a reload with another WSDL of the partner is refused while flows call what is gone, and taken otherwise', async () => {
  const path = 'partner/orders.wsdl';
  const wsdl = readFileSync(join(example, path), 'utf8');
  const reloads = async () => [
    await service.metric('svc_reloads_total'),
    await service.metric('svc_reload_failures_total'),
  ];
  const [reloaded = 0, failed = 0] = await reloads();
  service.write(path, wsdl.replaceAll('CreateOrder', 'MakeOrder'));
  await until(async () => (await service.metric('svc_reload_failures_total')) === failed + 1);
  await until(() => service.log.includes('has no operation "CreateOrder"'));
  expect((await service.ask('POST', '/orders', order)).status).toBe(200);
  service.write(path, wsdl.replaceAll('"ListOrders"', '"ListAll"'));
  await until(async () => (await service.metric('svc_reloads_total')) === reloaded + 1);
  expect((await service.ask('POST', '/orders', order)).status).toBe(200);
});

test('R-82, A-07: kill -9 of the SOAP service under load: what it answered is kept once, and its client is answered again', async () => {
  const port = await freePort();
  const directory = copyConfiguration(example);
  const address = `http://127.0.0.1:${port}/orders`;
  const started = () => startService({ directory, env: { SOAP_PORT: String(port), PARTNER_URL: address } });
  await migrate(directory, ['db']);
  let partner = await started();
  const shop = await startScenario(example, {
    env: { SOAP_PORT: String(await freePort()), PARTNER_URL: address },
  });
  try {
    const answered: string[] = [];
    let [sent, failed, isOver] = [0, 0, false];
    const customer = async () => {
      while (!isOver) {
        sent++;
        const { status, body } = await shop.ask('POST', '/orders', { ...order, customer: `c${sent}` });
        if (status === 200) answered.push((body as { id: string }).id);
        else failed++;
      }
    };
    const customers = Array.from({ length: 10 }, customer);
    await until(() => answered.length > 50);
    expect(await partner.stop('SIGKILL')).toEqual({ code: null, signal: 'SIGKILL' });
    await until(() => failed > 10);
    partner = await started();
    const before = answered.length;
    await until(() => answered.length > before + 50);
    isOver = true;
    await Promise.all(customers);
    await partner.stop();
    const database = new DatabaseSync(join(directory, 'orders.db'));
    const rows = database.prepare('SELECT id, customer FROM orders').all() as { id: number; customer: string }[];
    database.close();
    expect(new Set(answered).size).toBe(answered.length);
    expect(rows.map(({ id }) => String(id))).toEqual(expect.arrayContaining(answered));
    // Nothing is repeated by the client, so that no order is there twice.
    expect(new Set(rows.map(({ customer: name }) => name)).size).toBe(rows.length);
    expect(answered.length + failed).toBe(sent);
    expect(shop.log).not.toMatch(/unhandled|uncaught/i);
  } finally {
    await shop.end();
    await partner.stop('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  }
});
