import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { until } from '../../support/until.ts';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const name = `svc-placement-${randomBytes(6).toString('hex')}`;
const sources = ['one', 'two'];

/** Two sources that run in one worker each, and one that runs in every worker. */
const configuration = (queue: string): string => `
connector "orders" {
  type   = "mq"
  driver = "rabbitmq"
  url    = "${brokerUrl}"
  consumer {
    queue = "${queue}"
  }
}
flow "take_orders" {
  from {
    connector = "orders"
    operation = "#"
  }
  transform {
    n = "input.body.n"
  }
  to {
    connector = "sink"
    operation = "POST /orders"
  }
}
${sources
  .map(
    (which) => `
connector "sensors_${which}" {
  type          = "mqtt"
  broker        = "${mqttUrl}"
  client_id     = "${name}-${which}"
  qos           = 1
  clean_session = false
}
flow "take_${which}" {
  from {
    connector = "sensors_${which}"
    operation = "${name}/${which}"
  }
  to {
    connector = "sink"
    operation = "POST /${which}"
  }
}`,
  )
  .join('\n')}
`;

describe.skipIf(mqttUrl === undefined || brokerUrl === undefined)('a debugger at the primary of two workers', () => {
  let service: Scenario;
  let sink: Upstream;
  let queue: TestQueue;
  let publisher: Awaited<ReturnType<typeof brokerClient>>;
  let client: DebugClient;

  beforeAll(async () => {
    sink = await startUpstream();
    queue = await TestQueue.declare();
    publisher = await brokerClient();
    service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address, SVC_LOG_FORMAT: 'json' },
      args: ['--workers', '2', '--log-level', 'info'],
      prepare: (directory) => writeFileSync(join(directory, 'sources.hcl'), configuration(queue.name)),
    });
    client = await debugClient(service.admin);
    await client.call('debug.ready', {});
  });

  afterAll(async () => {
    await client?.leave();
    await service?.end();
    await sink?.close();
    await queue?.end();
    await publisher?.endAsync();
    for (const which of sources) {
      // A clean session ends the one that the broker keeps.
      const forget = await brokerClient({ clientId: `${name}-${which}`, clean: true });
      await forget.endAsync();
    }
  });

  interface Place {
    readonly msg: string;
    readonly connector: string;
    readonly worker: number;
    readonly pid: number;
  }
  const places = (): readonly Place[] =>
    service.log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Place)
      .filter(({ msg }) => msg === 'connector runs in one worker');
  const placeOf = (connector: string) => places().findLast((place) => place.connector === connector) as Place;
  const workerOf = ({ threadId }: { readonly threadId: string }) => Number(threadId.split('.')[0]);
  const taken = (path: string) =>
    sink.received.filter(({ url }) => url === `/${path}`).map(({ body }) => (JSON.parse(body) as { n: number }).n);

  test('it sees every source, where it runs, and whether it can be pulled', async () => {
    const { sources: shown } = await client.call('debug.sources', {});
    expect(
      shown.map(({ connector, manualConsume, position }) => [connector, manualConsume, position]).toSorted(),
    ).toEqual([
      ['orders', true, 'demand'],
      ['sensors_one', false, 'single'],
      ['sensors_two', false, 'single'],
    ]);
  });

  test('A-16: it pulls a message through one worker, and when that is killed the next through the other', async () => {
    await queue.publish([{ n: 1 }, { n: 2 }, { n: 3 }]);
    await client.call('debug.consume', { connector: 'orders' });
    const first = workerOf(await client.next('event.flowStart'));
    expect(taken('orders')).toEqual([1]);
    // What waits is asked over the channel that acknowledged, so that the broker knows by then.
    await client.call('debug.sources', {});
    const killed = places().find(({ worker }) => worker === first) as Place;
    const moves = places().length;
    process.kill(killed.pid, 'SIGKILL');
    // What only the killed worker had runs in the other one: the primary knows.
    await until(() => places().length > moves);
    await client.call('debug.consume', { connector: 'orders' });
    expect(workerOf(await client.next('event.flowStart'))).not.toBe(first);
    expect(taken('orders')).toEqual([1, 2]);
    expect((await queue.counts()).ready).toBe(1);
  });

  test('A-16, A-14: a source of one worker stops in that worker, one message at a time, and in the other when it is killed', async () => {
    await until(async () => (await service.ask('GET', '/health')).status === 200);
    await expect(client.call('debug.consume', { connector: 'sensors_one' })).rejects.toMatchObject({
      code: -32603,
      message: 'messages of connector "sensors_one" are pushed and cannot be pulled',
    });
    await client.call('debug.setBreakpoints', { flow: 'take_one', breakpoints: [{ stage: 'write', ruleIndex: -1 }] });
    const before = placeOf('sensors_one');
    for (const n of [1, 2]) await publisher.publishAsync(`${name}/one`, JSON.stringify({ n }), { qos: 1 });
    const stopped = await client.next('event.stopped');
    expect(workerOf(stopped)).toBe(before.worker);
    process.kill(before.pid, 'SIGKILL');
    await until(() => placeOf('sensors_one') !== undefined && placeOf('sensors_one').pid !== before.pid);
    // The message under way was not acknowledged: it comes again, and stops before the one behind it begins.
    const again = await client.next('event.stopped');
    expect(workerOf(again)).toBe(placeOf('sensors_one').worker);
    expect(taken('one')).toEqual([]);
    await client.call('debug.continue', { threadId: again.threadId });
    const next = await client.next('event.stopped');
    expect(taken('one')).toEqual([1]);
    await client.call('debug.continue', { threadId: next.threadId });
    await until(() => taken('one').length === 2);
    expect(taken('one')).toEqual([1, 2]);
  });

  test('when it leaves, every source takes messages by itself', async () => {
    await client.leave();
    await until(() => taken('orders').length === 3);
    await publisher.publishAsync(`${name}/two`, '{"n": 1}', { qos: 1 });
    await until(() => taken('two').length === 1);
  });
});
