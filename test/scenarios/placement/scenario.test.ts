import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const broker = mqttUrl ?? '';
const name = `svc-placement-${randomBytes(6).toString('hex')}`;

/** Two subscribers with a session that the broker keeps, each under a client id that one connection may have. */
const subscribers = (prefetch: number): string =>
  ['one', 'two']
    .map(
      (which) => `connector "sensors_${which}" {
  type          = "mqtt"
  broker        = "${broker}"
  client_id     = "${name}-${which}"
  qos           = 1
  clean_session = false
  prefetch      = ${prefetch}
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
}
`,
    )
    .join('');

/** What both workers publish. */
const commands = `flow "command" {
  from {
    connector = "api"
    operation = "POST /commands"
  }
  to {
    connector = "sensors_one"
    target    = "${name}/commands"
    params    = { qos = 2 }
  }
}
`;

describe.skipIf(broker === '')('a source that runs in one of two workers', () => {
  let service: Scenario;
  let sink: Upstream;
  let publisher: Awaited<ReturnType<typeof brokerClient>>;

  beforeAll(async () => {
    sink = await startUpstream();
    publisher = await brokerClient();
    service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address, SVC_LOG_FORMAT: 'json' },
      args: ['--workers', '2', '--log-level', 'info'],
      prepare: (directory) => writeSubscribers(directory, 20),
    });
  });

  afterAll(async () => {
    await service?.end();
    await sink?.close();
    await publisher?.endAsync();
    for (const which of ['one', 'two']) {
      // A clean session ends the one that the broker keeps.
      const forget = await brokerClient({ clientId: `${name}-${which}`, clean: true });
      await forget.endAsync();
    }
  });

  interface Line {
    readonly msg: string;
    readonly connector?: string;
    readonly worker?: number;
    readonly pid?: number;
    readonly gap?: string;
  }
  const said = (message: string): readonly Line[] =>
    service.log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line)
      .filter(({ msg }) => msg === message);
  const places = (connector: string) =>
    said('connector runs in one worker').filter((line) => line.connector === connector);
  const place = (connector: string) => places(connector).at(-1) as Line;

  const numbers = (which: string) =>
    sink.received
      .filter(({ url }) => url === `/${which}`)
      .map(({ body }) => (JSON.parse(body) as { n: number }).n)
      .toSorted((a, b) => a - b);
  const taken = (which: string) => new Set(numbers(which));
  const publish = (which: string, n: number) =>
    publisher.publishAsync(`${name}/${which}`, JSON.stringify({ n }), { qos: 1 });
  const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);

  test('A-16: each runs in one worker, spread over both, and a message is handled once', async () => {
    expect(new Set([place('sensors_one').worker, place('sensors_two').worker])).toEqual(new Set([1, 2]));
    for (const n of range(0, 50)) await Promise.all([publish('one', n), publish('two', n)]);
    await until(() => taken('one').size === 50 && taken('two').size === 50);
    expect([numbers('one'), numbers('two')]).toEqual([range(0, 50), range(0, 50)]);
    expect(await service.metric('svc_connector_health{connector="sensors_one",type="mqtt"}')).toBe(1);
    const { body } = await service.ask('GET', '/health');
    expect(body).toMatchObject({ status: 'healthy', components: { sensors_one: { status: 'healthy' } } });
    expect(said('the broker is unavailable; reconnecting')).toEqual([]);
  });

  const command = (n: number) => service.ask('POST', '/commands', { n }, { connection: 'close' });

  test('A-16: each worker publishes, also the one that does not subscribe', async () => {
    const commanded: number[] = [];
    const watcher = await brokerClient();
    watcher.on(
      'message',
      (_topic, payload) => void commanded.push((JSON.parse(payload.toString()) as { n: number }).n),
    );
    await watcher.subscribeAsync(`${name}/commands`, { qos: 2 });
    const answers = await Promise.all(range(0, 60).map(command));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(answers[0]?.body).toEqual({ topic: `${name}/commands`, qos: 2, retain: false });
    await until(() => commanded.length >= 60);
    expect(commanded.toSorted((a, b) => a - b)).toEqual(range(0, 60));
    await watcher.endAsync();
  });

  test.each([
    ['dies', 'SIGKILL'],
    ['is suspended', 'SIGSTOP'],
  ] as const)(
    'A-16, R-66: it moves when its worker %s; nothing is lost, and the gap is reported and counted',
    async (_, signal) => {
      const before = place('sensors_one');
      const moves = places('sensors_one').length;
      const first = Math.max(...numbers('one')) + 1;
      let last = first;
      const hurt = () => process.kill(before.pid as number, signal);
      for (; last < first + 20; last++) await publish('one', last);
      hurt();
      // Not more than a broker keeps for a client that takes nothing.
      while (places('sensors_one').length === moves) {
        await publish('one', last++);
        await sleep(50);
      }
      for (const n of range(last, last + 20)) await publish('one', n);
      last += 20;
      await until(() => range(first, last).every((n) => taken('one').has(n)));
      const after = place('sensors_one');
      expect(after.pid).not.toBe(before.pid);
      expect(after.gap).toMatch(/^\d+ms$/);
      expect(
        await service.metric('svc_connector_gap_seconds_count{connector="sensors_one",reason="worker"}'),
      ).toBeGreaterThan(0);
      expect(said('the broker is unavailable; reconnecting')).toEqual([]);
      await until(async () => (await service.ask('GET', '/health')).status === 200);
    },
  );

  test('R-17, A-16: a reload leaves an unchanged one as it is, and closes a changed one before its successor opens', async () => {
    const moves = places('sensors_one').length;
    const first = Math.max(...numbers('one')) + 1;
    const statuses = new Set<number>();
    writeSubscribers(service.directory, 21);
    await until(async () => {
      // What is published meanwhile is published: the connection for that is not exchanged with the other.
      for (const { status } of await Promise.all(range(0, 4).map(command))) statuses.add(status);
      await publish('one', Math.max(...numbers('one')) + 1);
      return said('connector was closed before its successor opened').length >= 2;
    });
    await until(() => said('reloaded').some((line) => 'workers' in line));
    expect(statuses).toEqual(new Set([200]));
    for (const n of range(first + 1_000, first + 1_020)) await publish('one', n);
    await until(() => range(first + 1_000, first + 1_020).every((n) => taken('one').has(n)));
    expect(places('sensors_one').length).toBe(moves);
    expect(await service.metric('svc_connector_gap_seconds_count{connector="sensors_one",reason="reload"}')).toBe(1);
    expect(said('the broker is unavailable; reconnecting')).toEqual([]);
  });

  test('A-16: when the successor cannot open, its predecessor is back, and the reload has failed', async () => {
    const first = Math.max(...numbers('one')) + 1;
    const text = (subscribers(22) + commands).replace(broker, 'tcp://127.0.0.1:1');
    writeFileSync(join(service.directory, 'sensors.hcl'), text);
    await until(() => said('reload failed, the earlier configuration keeps serving').length > 0);
    await until(
      () => said('connector was closed, and opened again as it was: its successor could not open').length > 0,
    );
    for (const n of range(first, first + 20)) await publish('one', n);
    await until(() => range(first, first + 20).every((n) => taken('one').has(n)));
    expect(await service.metric('svc_reload_failures_total')).toBe(1);
    expect(await service.metric('svc_connector_gap_seconds_count{connector="sensors_one",reason="reload"}')).toBe(2);
    await until(async () => (await service.ask('GET', '/health')).status === 200);
    expect((await service.stop()).code).toBe(0);
  });

  function writeSubscribers(directory: string, prefetch: number): void {
    writeFileSync(join(directory, 'sensors.hcl'), subscribers(prefetch) + commands);
  }
});
