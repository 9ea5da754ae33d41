import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

describe.skipIf(brokerUrl === undefined)('aspects of flows that share a queue', () => {
  let stock: Upstream;
  let queue: TestQueue;
  let service: Scenario;

  beforeEach(async () => {
    stock = await startUpstream();
    queue = await TestQueue.declare();
    service = await startScenario(import.meta.dirname, {
      env: { BROKER_URL: brokerUrl as string, QUEUE: queue.name, STOCK_URL: stock.address },
    });
  });

  afterEach(async () => {
    await service?.end();
    await queue?.end();
    await stock?.close();
  });

  const asked = (path: string) =>
    stock.received.filter(({ url }) => url === path).map(({ body }) => JSON.parse(body) as Record<string, unknown>);
  const publish = (n: number) => queue.publish([{ n }], { key: 'order.new' });
  const executions = (flow: string, status: string) =>
    service.metric(`svc_flow_executions_total{flow="${flow}",status="${status}"}`);

  test('a message that every flow drops is reported once, for the flow that decides', async () => {
    await publish(1);
    await until(async () => (await executions('ship', 'dropped')) === 1);
    await until(() => asked('/unwanted').length > 0);
    await until(async () => (await executions('reserve', 'dropped')) === 1);
    expect(asked('/unwanted')).toEqual([{ n: 1, flow: 'ship', reason: 'filter', policy: 'reject', id: '1' }]);
    expect((await queue.counts()).ready).toBe(0);
  });

  test('a message that one flow takes is not reported as dropped', async () => {
    await publish(2);
    await until(async () => (await executions('reserve', 'success')) === 1);
    await until(async () => (await executions('invoice', 'dropped')) === 1);
    await until(async () => (await executions('ship', 'dropped')) === 1);
    expect([asked('/reserve'), asked('/unwanted')]).toEqual([[{ n: 2 }], []]);
  });

  test('R-13: one alarm for a message that failed every try, and none of success', async () => {
    stock.react = ({ url }) => ({ status: url === '/ship' ? 503 : 200, body: {} });
    await publish(4);
    await until(() => asked('/alarm').length > 0);
    await until(async () => (await executions('ship', 'error')) === 1);
    expect([asked('/ship').length, asked('/failed').length, asked('/alarm')]).toEqual([3, 1, [{ n: 4, code: 503 }]]);
    expect([asked('/done'), asked('/unwanted')]).toEqual([[], []]);
    stock.react = () => ({ body: {} });
    await publish(5);
    await until(() => asked('/done').length > 0);
    expect([asked('/done'), asked('/alarm').length]).toEqual([[{ n: 5 }], 1]);
  });
});
