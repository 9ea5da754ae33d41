import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCommand } from '../../support/service.ts';
import { copyConfiguration, type Scenario, startScenario } from '../scenario.ts';

let service: Scenario | undefined;

afterEach(async () => {
  await service?.end();
  service = undefined;
});

const start = async (...args: string[]) => {
  service = await startScenario(import.meta.dirname, { args });
  return async (method: string, path: string, body?: object) => {
    const answer = await (service as Scenario).ask(method, path, body);
    return [answer.status, answer.body];
  };
};

describe('svc start --mock', () => {
  test('serves without anything that it depends on', async () => {
    const ask = await start('--mock', 'db,bank', '--mock', 'shared');
    expect(await ask('GET', '/orders/1')).toEqual([200, [{ id: 1, status: 'open' }]]);
    expect(await ask('GET', '/orders/7')).toEqual([200, []]);
    expect(await ask('GET', '/orders/2')).toEqual([500, { error: 'the table is locked', code: 'connector_failed' }]);
    expect(await ask('POST', '/orders', { status: 'new' })).toEqual([200, { id: 9, affected: 1 }]);
    expect(await ask('GET', '/rates/usd')).toEqual([200, { rate: 1.1 }]);
    expect(await ask('GET', '/rates/usd')).toEqual([200, { rate: 1.1 }]);
    expect(await ask('GET', '/rates/eur')).toEqual([200, { rate: 0 }]);
    expect(await service?.metric('svc_cache_hits_total{cache="shared"}')).toBe(1);
    const health = await service?.ask('GET', '/health');
    expect(health?.body).toMatchObject({ status: 'healthy' });
  });

  test('all is everything that flows ask, and a changed recording answers at once', async () => {
    const ask = await start('--mock', 'all');
    expect(await ask('GET', '/orders/1')).toEqual([200, [{ id: 1, status: 'open' }]]);
    service?.write('mocks/connectors/db/orders.json', '{ "data": [{ "id": 5 }] }');
    await expect.poll(() => ask('GET', '/orders/1')).toEqual([200, [{ id: 5 }]]);
  });

  test('a connector that is not mocked is opened, and an unknown name is refused', async () => {
    await expect(start('--mock', 'all', '--no-mock', 'db')).rejects.toThrow(/connector cannot be used.*connector=db/s);
    await expect(start('--mock', 'dbx')).rejects.toThrow('--mock names "dbx", and there is no such connector');
  });
});

test('svc validate refuses a recording that is not JSON, with its place', async () => {
  const directory = copyConfiguration(import.meta.dirname);
  try {
    writeFileSync(join(directory, 'mocks.hcl'), 'mocks {\n  enabled = true\n}\n');
    expect((await runCommand(['validate', '-c', directory], { PORT: '1', ADMIN_PORT: '2' })).code).toBe(0);
    writeFileSync(join(directory, 'mocks/connectors/db/orders.json'), '{ "data": }');
    const { code, stdout } = await runCommand(['validate', '-c', directory], { PORT: '1', ADMIN_PORT: '2' });
    expect([code, stdout]).toEqual([1, expect.stringContaining('mocks/connectors/db/orders.json:1:')]);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
