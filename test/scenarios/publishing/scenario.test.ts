import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { copyConfiguration, migrate, type Scenario, startScenario } from '../scenario.ts';

const folder = join(import.meta.dirname, '../../../examples/queues');

describe.skipIf(brokerUrl === undefined)('messages that a service sends', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function names() {
    const [orders, prices] = [await TestQueue.named(), await TestQueue.named()];
    cleanups.push(
      () => orders.end(),
      () => prices.end(),
    );
    return {
      BROKER_URL: brokerUrl as string,
      EXCHANGE: `svc-test-${randomBytes(6).toString('hex')}`,
      ORDERS: orders.name,
      PRICES: prices.name,
      GIVEN_UP: `${orders.name}.dlq`,
    };
  }

  async function start(): Promise<Scenario> {
    const env = await names();
    const service = await startScenario(folder, { env, prepare: (directory) => migrate(directory, ['db'], env) });
    cleanups.push(() => service.end());
    return service;
  }

  test('go through exchange, queue, request and answer to a table; what is turned away can be read as a dead letter', async () => {
    const service = await start();
    const sent = await service.ask('POST', '/orders', { item: 'tea', count: 3 });
    expect(sent.body).toEqual({
      message_id: expect.stringMatching(/^[\da-f-]{36}$/),
      exchange: expect.stringMatching(/^svc-test-/),
      routing_key: 'order.tea',
    });
    await service.ask('POST', '/orders', { item: 'coffee', count: 1 });
    await until(async () => ((await service.ask('GET', '/orders')).body as unknown[]).length === 2);
    expect((await service.ask('GET', '/orders')).body).toEqual([
      { item: 'coffee', total: 7 },
      { item: 'tea', total: 15 },
    ]);
    await service.ask('POST', '/orders', { item: 'tea', count: 0 });
    const letter = await until(
      async () => ((await service.ask('POST', '/given-up')).body as { letter: unknown }).letter ?? undefined,
    );
    expect(letter).toMatchObject({ item: 'tea', count: 0 });
  });

  test('are simulated by a dry run, and replaced by a mock', async () => {
    const env = await names();
    const directory = copyConfiguration(folder);
    const dry = await runCommand(
      ['trace', 'order', directory, '--dry-run', '--input', '{"item":"tea","count":3}'],
      env,
    );
    expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('order.tea')]);
    expect(await runCommand(['test', directory], env)).toMatchObject({ code: 0 });
  });
});
