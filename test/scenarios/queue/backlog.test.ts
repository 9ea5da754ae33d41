import { afterEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { until } from '../../support/until.ts';
import { startScenario } from '../scenario.ts';
import { startUpstream } from '../upstream.ts';

/** More messages than two workers hold. */
const sent = 60;

describe.skipIf(brokerUrl === undefined)('the metrics by which a service is scaled', () => {
  const cleanups: (() => unknown)[] = [];
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  test('say of two workers of one queue what waits at the broker, and what is held', async () => {
    const answers: (() => void)[] = [];
    const stock = await startUpstream(() => (response) => void answers.push(() => void response.end('{}')));
    const queue = await TestQueue.declare();
    cleanups.push(
      () => stock.close(),
      () => queue.end(),
    );
    const service = await startScenario(import.meta.dirname, {
      args: ['--workers', '2'],
      env: { BROKER_URL: brokerUrl as string, QUEUE: queue.name, STOCK_URL: stock.address },
    });
    cleanups.push(() => service.end());
    const orders = Array.from({ length: sent }, (_, n) => ({ n, kind: 'order' }));
    await queue.publish(orders, { key: 'order.new' });
    const metric = async (name: string) =>
      (await service.metric(`${name}{connector="orders",driver="amqp_broker"}`)) ?? 0;
    await until(async () => {
      const [backlog, held] = [await metric('svc_messages_backlog'), await metric('svc_messages_held')];
      return backlog > 0 && held > 0 && backlog + held === sent;
    });
    await until(async () => {
      for (const answer of answers.splice(0)) answer();
      return (await metric('svc_messages_backlog')) === 0 && (await metric('svc_messages_held')) === 0;
    });
    expect((await queue.counts()).ready).toBe(0);
  });
});
