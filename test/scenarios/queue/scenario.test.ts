import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { countingBroker } from '../../../runtime/src/connectors/mq/testing/consumers.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { copyConfiguration, type Scenario, startScenario } from '../scenario.ts';
import { type Reaction, startUpstream, type Upstream } from '../upstream.ts';

const folder = import.meta.dirname;

describe.skipIf(brokerUrl === undefined)('a queue', () => {
  let stock: Upstream;
  let queue: TestQueue;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    stock = await startUpstream();
  });

  afterAll(() => stock?.close());

  beforeEach(async () => {
    stock.received.length = 0;
    stock.react = () => ({ body: {} });
    queue = await TestQueue.declare();
    cleanups.push(() => queue.end());
  });

  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function start(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Scenario> {
    const service = await startScenario(folder, {
      args,
      env: { BROKER_URL: brokerUrl as string, QUEUE: queue.name, STOCK_URL: stock.address, ...env },
    });
    cleanups.push(() => service.end());
    return service;
  }

  async function attach(service: Scenario): Promise<DebugClient> {
    const client = await debugClient(service.admin);
    cleanups.push(() => client.leave());
    return client;
  }

  const order = (n: number) => ({ n, kind: 'order' });
  const publish = (...numbers: number[]) => queue.publish(numbers.map(order), { key: 'order.new' });
  const reserved = () => stock.received.map(({ body }) => (JSON.parse(body) as { n: number }).n);
  const ready = async () => (await queue.counts()).ready;
  const consumers = async () => (await queue.counts()).consumers;
  const stopAtWrite = (client: DebugClient) =>
    client.call('debug.setBreakpoints', { flow: 'reserve', breakpoints: [{ stage: 'write', ruleIndex: -1 }] });

  test('messages go through their flows to the end, and what no flow takes is counted', async () => {
    const service = await start();
    await publish(1, 2, 3);
    await queue.publish([{ n: 4 }], { key: 'invoice' });
    const series = `svc_messages_undispatched_total{connector="orders",driver="amqp_broker",target="${queue.name}",key="invoice"}`;
    await until(async () => (await service.metric(series)) === 1);
    await until(() => stock.received.length === 3);
    expect(stock.received.map(({ method, url, body }) => [method, url, JSON.parse(body)])).toEqual(
      [1, 2, 3].map((n) => ['POST', '/reserve', { n, key: 'order.new' }]),
    );
    await until(async () => (await service.metric('svc_flow_executions_total{flow="reserve",status="success"}')) === 3);
    expect((await service.ask('GET', '/health')).body).toMatchObject({
      status: 'healthy',
      components: { orders: { status: 'healthy' } },
    });
    expect(await service.stop()).toEqual({ code: 0, signal: null });
    expect(await queue.counts()).toEqual({ ready: 0, consumers: 0 });
  });

  test('a failed message comes again after a longer pause each time, until it succeeds', async () => {
    const times: number[] = [];
    stock.react = ({ url }): Reaction => {
      if (url === '/settle') return { status: 503 };
      times.push(performance.now());
      return { status: times.length < 4 ? 503 : 200, body: {} };
    };
    const service = await start();
    await queue.publish([order(9)], { key: 'settle' });
    await publish(1);
    await until(() => times.length === 4);
    const pauses = times.slice(1).map((time, at) => time - (times[at] as number));
    // 1, 2 and 4 seconds, give or take a fifth.
    expect(pauses.map((pause, at) => pause > 780 * 2 ** at)).toEqual([true, true, true]);
    expect(service.log.match(/message is tried again.*tries=\d/g)?.map((line) => line.slice(-1))).toEqual([
      '1',
      '2',
      '3',
    ]);
    // The author said that this one is done.
    expect(stock.received.filter(({ url }) => url === '/settle').length).toBe(1);
    await service.stop();
    expect(await ready()).toBe(0);
  });

  test('R-66, R-67: of A to E, C and E fail: exactly these return after a restart', async () => {
    stock.react = ({ body }) => ({ status: /"n":[35]/.test(body) ? 503 : 200, body: {} });
    const first = await start();
    await publish(1, 2, 3, 4, 5);
    await until(() => stock.received.length >= 5);
    await first.stop();
    stock.received.length = 0;
    stock.react = () => ({ body: {} });
    const second = await start();
    await until(() => stock.received.length === 2);
    expect(reserved().toSorted()).toEqual([3, 5]);
    await second.stop();
    expect(await ready()).toBe(0);
  });

  test('a stop ends what is under way, gives back what was not begun, and goes in order', async () => {
    const answers: (() => void)[] = [];
    stock.react = () => (response) => void answers.push(() => response.end('{}'));
    const service = await start();
    await publish(1, 2, 3, 4);
    await until(() => answers.length === 1);
    const ended = service.stop();
    await until(async () => (await ready()) === 3);
    for (const answer of answers) answer();
    expect(await ended).toEqual({ code: 0, signal: null });
    expect(await queue.counts()).toEqual({ ready: 3, consumers: 0 });
  });

  test('R-39: stopped twice with a message under way, it goes at once, and the message comes again', async () => {
    let asked = 0;
    stock.react = () => () => void asked++;
    const service = await start();
    await publish(1, 2);
    await until(() => asked === 1);
    void service.stop();
    await until(() => service.log.includes('stopping'));
    expect(await service.stop()).toEqual({ code: 143, signal: null });
    expect(service.log).not.toMatch(/ ERR |not caught|rejected/);
    await until(async () => (await ready()) === 2);
  });

  test('R-17, R-85: while the configuration is loaded again and again no message is lost, and no consumer is declared again', async () => {
    const broker = await countingBroker(brokerUrl as string);
    cleanups.push(() => broker.close());
    const service = await start([], { BROKER_URL: broker.url });
    const text = readFileSync(join(folder, 'flows.hcl'), 'utf8');
    let sent = 0;
    for (let round = 1; round <= 8; round++) {
      service.write('flows.hcl', text.replace('key = "input.routing_key"', `key = "'${round}'"`));
      while (((await service.metric('svc_reloads_total')) ?? 0) < round) await publish(++sent);
    }
    await publish(++sent);
    await until(() => new Set(reserved()).size === sent);
    expect(stock.received.at(-1)?.body).toContain('"8"');
    expect([reserved().length, broker.consumes, await consumers(), broker.proxy.connections]).toEqual([sent, 1, 1, 1]);
    await service.stop();
    expect(await ready()).toBe(0);
  });

  describe('while a client debugs', () => {
    test('nothing is consumed but what is pulled, one at a time, and each is acknowledged after it continued', async () => {
      const service = await start();
      const client = await attach(service);
      await until(async () => (await consumers()) === 0);
      await publish(1, 2, 3);
      expect(await client.call('debug.ready', {})).toEqual({
        ok: true,
        sources: [{ connector: 'orders', type: 'amqp_broker', source: queue.name, manualConsume: true }],
      });
      await stopAtWrite(client);
      for (const n of [1, 2]) {
        let answered = false;
        const consumed = client.call('debug.consume', { connector: 'orders' }).then(() => (answered = true));
        const { threadId } = await client.next('event.stopped');
        const { threads } = await client.call('debug.threads', {});
        expect(threads).toMatchObject([
          {
            id: threadId,
            paused: true,
            holds: { kind: 'message', connector: 'orders', source: queue.name, id: '', waiting: 3 - n },
          },
        ]);
        expect(await client.call('debug.sources', {})).toEqual({
          sources: [
            {
              connector: 'orders',
              type: 'amqp_broker',
              source: queue.name,
              flows: ['reserve', 'settle'],
              manualConsume: true,
              ready: 3 - n,
              unacked: 1,
              prefetch: 5,
              position: 'demand',
            },
          ],
        });
        expect([answered, reserved()]).toEqual([false, Array.from({ length: n - 1 }, (_, at) => at + 1)]);
        await client.call('debug.continue', { threadId });
        await consumed;
        expect(client.events.at(-1)?.[0]).toBe('event.flowEnd');
        expect(reserved().at(-1)).toBe(n);
      }
      expect(await ready()).toBe(1);
      await service.stop();
      expect(await ready()).toBe(1);
    });

    test('a pull can be answered as soon as the message was taken', async () => {
      const client = await attach(await start());
      await stopAtWrite(client);
      const taken = client.call('debug.consume', { connector: 'orders', until: 'taken' });
      await publish(1);
      expect(await taken).toEqual({ ok: true });
      const { threadId } = await client.next('event.stopped');
      await client.call('debug.continue', { threadId });
      await until(() => stock.received.length === 1);
    });

    test('a client that dies with a paused thread leaves the message to be handled, and the queue to be consumed', async () => {
      const service = await start();
      const client = await attach(service);
      await stopAtWrite(client);
      const consumed = client.call('debug.consume', { connector: 'orders' }).catch((error: Error) => error.message);
      await publish(1, 2, 3);
      await client.next('event.stopped');
      expect(reserved()).toEqual([]);
      await client.leave();
      expect(await consumed).toBe('the connection was closed');
      await until(() => stock.received.length === 3);
      expect(reserved().toSorted()).toEqual([1, 2, 3]);
      await service.stop();
      expect(await ready()).toBe(0);
    });

    test('waiting ends when it is cancelled, and when the client goes; nothing is taken then', async () => {
      const service = await start();
      const watching = await attach(service);
      const waiting = await attach(service);
      await until(async () => (await consumers()) === 0);
      const cancelled = waiting.call('debug.consume', { connector: 'orders' }).catch((error: Error) => error);
      expect(await watching.call('debug.cancelConsume', { connector: 'orders' })).toEqual({ ok: true, cancelled: 0 });
      expect(await waiting.call('debug.cancelConsume', {})).toEqual({ ok: true, cancelled: 1 });
      expect(await cancelled).toMatchObject({
        code: -32603,
        message: 'waiting for a message of "orders" was cancelled: none was taken',
      });
      const left = waiting.call('debug.consume', { connector: 'orders' }).catch(() => undefined);
      await waiting.leave();
      await left;
      await until(() => service.log.includes('debug client left'));
      await publish(1);
      // A call that still waited would have taken it by now: this one asks after them.
      await watching.call('debug.consume', { connector: 'orders' });
      expect(reserved()).toEqual([1]);
      await watching.leave();
      await until(async () => (await consumers()) === 1);
    });

    test('the gate can be moved; a pull needs it at demand; it opens when the last client leaves', async () => {
      const service = await start();
      const client = await attach(service);
      const position = async () => (await client.call('debug.sources', {})).sources[0]?.position;
      expect(await position()).toBe('demand');
      await client.call('debug.setGate', { position: 'single' });
      await stopAtWrite(client);
      await publish(1, 2);
      const { threadId } = await client.next('event.stopped');
      await until(async () => (await ready()) === 1);
      expect([await position(), (await client.call('debug.threads', {})).threads.length]).toEqual(['single', 1]);
      await expect(client.call('debug.consume', { connector: 'orders' })).rejects.toMatchObject({
        code: -32603,
        message: 'the gate of connector "orders" is open: messages come by themselves',
      });
      await client.call('debug.continue', { threadId });
      const second = await client.next('event.stopped');
      expect(reserved()).toEqual([1]);
      await client.call('debug.continue', { threadId: second.threadId });
      await client.call('debug.setGate', { position: 'open', connector: 'orders' });
      expect(await position()).toBe('open');
      for (const [params, code] of [
        [{ position: 'ajar' }, -32602],
        [{ position: 'open', connector: 'stock' }, -32603],
      ] as const)
        await expect(client.call('debug.setGate', params)).rejects.toMatchObject({ code });
      await client.call('debug.setGate', { position: 'demand' });
      await until(async () => (await consumers()) === 0);
      await client.leave();
      await until(async () => (await consumers()) === 1);
    });

    test('a reload leaves the gate where it is, and a pull that waits continues', async () => {
      const service = await start();
      const client = await attach(service);
      const consumed = client.call('debug.consume', { connector: 'orders' });
      const text = readFileSync(join(folder, 'flows.hcl'), 'utf8');
      service.write('flows.hcl', text.replace('key = "input.routing_key"', `key = "'next'"`));
      await until(async () => (await service.metric('svc_reloads_total')) === 1);
      expect((await client.call('debug.sources', {})).sources[0]?.position).toBe('demand');
      await publish(1, 2);
      await consumed;
      expect([stock.received.map(({ body }) => body), await ready()]).toEqual([['{"n":1,"key":"next"}'], 1]);
    });

    test('requests are not held by the gate, and say what they hold', async () => {
      const service = await start();
      const client = await attach(service);
      await client.call('debug.setBreakpoints', { flow: 'ask', breakpoints: [{ stage: 'step', ruleIndex: -1 }] });
      const asked = service.ask('GET', '/stock/7');
      const { threadId } = await client.next('event.stopped');
      expect((await client.call('debug.threads', {})).threads).toMatchObject([
        { flowName: 'ask', holds: { kind: 'request', method: 'GET', route: '/stock/:id' } },
      ]);
      await client.call('debug.continue', { threadId });
      expect((await asked).status).toBe(200);
      for (const connector of ['api', 'unknown'])
        await expect(client.call('debug.consume', { connector })).rejects.toMatchObject({ code: -32603 });
    });
  });

  describe('a suspended start', () => {
    test.each([
      ['--debug-suspend', ['--debug-suspend'], {}],
      ['SVC_DEBUG_SUSPEND', [], { SVC_DEBUG_SUSPEND: 'true' }],
    ] as const)('%s holds queues until debug.ready, and no requests', async (_name, args, env) => {
      await publish(1, 2);
      const service = await start(args, env);
      expect((await service.ask('GET', '/stock/7')).status).toBe(200);
      stock.received.length = 0;
      expect(service.log).toContain('event sources wait for debug.ready');
      expect(await queue.counts()).toEqual({ ready: 2, consumers: 0 });
      const text = readFileSync(join(service.directory, 'flows.hcl'), 'utf8');
      writeFileSync(join(service.directory, 'flows.hcl'), `${text}\n`);
      await until(async () => (await service.metric('svc_reloads_total')) === 1);
      const client = await attach(service);
      await expect(client.call('debug.consume', { connector: 'orders' })).rejects.toMatchObject({
        message: 'connector "orders" has not started: call debug.ready first',
      });
      await client.leave();
      expect(await queue.counts()).toEqual({ ready: 2, consumers: 0 });
      const next = await attach(service);
      await stopAtWrite(next);
      expect((await next.call('debug.ready', {})).sources.length).toBe(1);
      expect(await queue.counts()).toEqual({ ready: 2, consumers: 0 });
      const consumed = next.call('debug.consume', { connector: 'orders' });
      const { threadId } = await next.next('event.stopped');
      await next.call('debug.continue', { threadId });
      await consumed;
      expect(reserved()).toEqual([1]);
      await next.leave();
      await until(() => stock.received.length === 2);
    });

    test('is ignored outside development, with a warning', async () => {
      await publish(1);
      const service = await start(['--env', 'production', '--debug-suspend'], { SVC_LOG_LEVEL: 'warn' });
      await until(() => stock.received.length === 1);
      expect(service.log).toContain('--debug-suspend is ignored in production');
    });
  });
});

test('a consumer that names no queue wants its flows to name one', async () => {
  const directory = copyConfiguration(folder);
  const source = readFileSync(join(folder, 'service.hcl'), 'utf8');
  writeFileSync(join(directory, 'service.hcl'), source.replace(/queue +=.*\n/, ''));
  const { code, stdout } = await runCommand(['validate', '-c', directory]);
  expect([code, stdout.match(/error\[[^\]]+\]: .*/g)]).toEqual([
    1,
    [
      'error[malformed-operation]: the connector names no queue, so that the operation must be the name of one: write queue in its consumer block to take messages by pattern',
    ],
  ]);
});

describe('what is not built is refused by name', () => {
  const source = readFileSync(join(folder, 'service.hcl'), 'utf8');

  test.each([
    ['no_local', source.replace('prefetch = 5', 'no_local = true')],
    ['no_wait', source.replace('prefetch = 5', 'no_wait = true')],
  ])('%s', async (word, text) => {
    const directory = copyConfiguration(folder);
    writeFileSync(join(directory, 'service.hcl'), text);
    const { code, stdout } = await runCommand(['validate', '-c', directory]);
    expect(code).toBe(1);
    expect(stdout).toContain(word);
    expect(stdout).toMatch(/not available|is refused/);
  });
});
