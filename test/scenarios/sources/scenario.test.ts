import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { brokerUrl, TestQueue } from '../../../runtime/src/connectors/mq/testing/broker.ts';
import { type CountingBroker, countingBroker } from '../../../runtime/src/connectors/mq/testing/consumers.ts';
import { brokerClient, mqttUrl } from '../../../runtime/src/connectors/mqtt/testing/bed.ts';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const folder = import.meta.dirname;
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
/** The first byte of what an MQTT client sends (MQTT 3.1.1, table 2.1). */
const packets = { connect: 0x10, acknowledge: 0x40, subscribe: 0x82 } as const;

describe.skipIf(mqttUrl === undefined || brokerUrl === undefined)('a queue, topics and live connections', () => {
  let name: string;
  let sink: Upstream;
  let queue: TestQueue;
  let amqp: CountingBroker;
  let mqtt: FaultProxy;
  let publisher: Awaited<ReturnType<typeof brokerClient>>;
  /** Packets of each kind that clients sent to the MQTT broker. */
  let sent: Record<keyof typeof packets, number>;
  const cleanups: (() => unknown)[] = [];

  beforeEach(async () => {
    name = `svc-sources-${randomBytes(6).toString('hex')}`;
    sent = { connect: 0, acknowledge: 0, subscribe: 0 };
    sink = await startUpstream();
    queue = await TestQueue.declare();
    amqp = await countingBroker(brokerUrl as string);
    const { hostname, port } = new URL(mqttUrl as string);
    mqtt = await faultProxy({ host: hostname, port: Number(port || 1883) }, (piece) => {
      // The second byte is the length of what follows, since all that is sent here is short.
      for (let at = 0; at < piece.length; at += 2 + (piece[at + 1] as number))
        for (const [kind, first] of Object.entries(packets))
          if (piece[at] === first) sent[kind as keyof typeof packets]++;
    });
    publisher = await brokerClient();
    cleanups.push(async () => {
      const forget = await brokerClient({ clientId: name, clean: true });
      await forget.endAsync();
      await publisher.endAsync();
      await mqtt.close();
      await amqp.close();
      await queue.end();
      await sink.close();
    });
  });

  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function start(env: Record<string, string> = {}, args: readonly string[] = []): Promise<Scenario> {
    const service = await startScenario(folder, {
      env: {
        BROKER_URL: amqp.url,
        QUEUE: queue.name,
        MQTT_URL: `tcp://127.0.0.1:${mqtt.port}`,
        CLIENT_ID: name,
        SINK_URL: sink.address,
        SVC_LOG_FORMAT: 'json',
        ...env,
      },
      args,
      prepare: (directory) => writeConfiguration(directory, 0),
    });
    cleanups.push(() => service.end());
    return service;
  }

  function writeConfiguration(directory: string, version: number): void {
    const text = readFileSync(join(folder, 'service.hcl'), 'utf8').replace('"TOPIC"', `"${name}"`);
    writeFileSync(join(directory, 'service.hcl'), text.replace('version    = "1"', `version    = "1.${version}"`));
  }

  async function client({ address }: Scenario) {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/ws`);
    const frames: unknown[] = [];
    let isClosed = false;
    socket.on('message', (data) => frames.push(JSON.parse(String(data))));
    socket.on('close', () => (isClosed = true));
    socket.on('error', () => undefined);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    cleanups.push(() => socket.terminate());
    return {
      frames,
      isClosed: () => isClosed,
      say: (n: number) => socket.send(JSON.stringify({ type: 'message', data: { n } })),
    };
  }

  const taken = (path: string) =>
    sink.received
      .filter(({ url }) => url === `/${path}`)
      .map(({ body }) => (JSON.parse(body) as { n: number }).n)
      .toSorted((a, b) => a - b);
  const toTopic = (n: number) => publisher.publishAsync(name, JSON.stringify({ n }), { qos: 1 });
  const count = (text: string, message: string) => text.split(message).length - 1;

  test('A-07: through fifty reloads connections, consumers and subscriptions stay, and nothing is lost or comes twice', async () => {
    const service = await start({}, ['--no-hot-reload']);
    const live = await client(service);
    let n = 0;
    for (let version = 1; version <= 50; version++) {
      writeConfiguration(service.directory, version);
      await queue.publish([{ n }]);
      await toTopic(n);
      live.say(n);
      n++;
      // The watcher waits for half a second without a change; a signal is followed at once.
      process.kill(service.pid, 'SIGHUP');
      await until(async () => Number(await service.metric('svc_reloads_total')) >= version);
    }
    await until(() => ['queue', 'topic', 'client'].every((path) => taken(path).length >= n));
    expect([taken('queue'), taken('topic'), taken('client')]).toEqual([range(0, n), range(0, n), range(0, n)]);
    await service.ask('POST', '/say', { text: 'still here' });
    // Before it are the answers to what the client said.
    await until(() => live.frames.length === n + 1);
    expect(live.frames.at(-1)).toEqual({ type: 'message', data: { text: 'still here' } });
    expect([live.isClosed(), amqp.consumes, amqp.proxy.connections]).toEqual([false, 1, 1]);
    expect([sent.connect, sent.subscribe, mqtt.connections]).toEqual([1, 1, 1]);
    expect((await service.stop()).code).toBe(0);
  });

  test('R-11: more messages that lack a field than are held stop none of those behind them, and are counted', async () => {
    const service = await start();
    const bad = range(0, 25);
    await queue.publish([...bad.map(() => ({ other: 1 })), gzipSync('not JSON at all'), { n: 1 }]);
    for (const _ of bad) await publisher.publishAsync(name, '{"other": 1}', { qos: 1 });
    await publisher.publishAsync(name, Buffer.from([0xff, 0xfe]), { qos: 1 });
    await toTopic(2);
    await until(() => taken('queue').length === 1 && taken('topic').length === 1);
    const rejected = (connector: string, driver: string) =>
      service.metric(`svc_messages_rejected_total{connector="${connector}",driver="${driver}"}`).then(Number);
    await until(
      async () => (await rejected('orders', 'amqp_broker')) === 26 && (await rejected('sensors', 'mqtt')) === 26,
    );
    expect([taken('queue'), taken('topic')]).toEqual([[1], [2]]);
  });

  test('a packed body is unpacked, by the property of its protocol or a header', async () => {
    const service = await start();
    await queue.publish([brotliCompressSync('{"n": 1}')], { contentEncoding: 'BR', contentType: 'application/json' });
    await queue.publish([gzipSync('{"n": 2}')], { headers: { 'Content-Encoding': 'gzip' } });
    await queue.publish([{ n: 3 }], { contentEncoding: 'utf-8' });
    await queue.publish([{ n: 4 }], { contentEncoding: 'lz4' });
    await until(() => taken('queue').length === 3);
    await until(() => service.log.includes('is compressed as'));
    expect(taken('queue')).toEqual([1, 2, 3]);
  });

  test('A-08, R-66: killed with messages under way, the next process handles each of them', async () => {
    const first = await start();
    const held: (() => void)[] = [];
    sink.react = () => (response) => void held.push(() => response.end('{}'));
    await queue.publish(range(0, 8).map((n) => ({ n })));
    for (const n of range(0, 8)) await toTopic(n);
    await until(() => held.length === 16);
    await first.stop('SIGKILL');
    sink.received.length = 0;
    sink.react = () => ({ body: {} });
    const next = await start();
    await until(() => taken('queue').length === 8 && taken('topic').length === 8);
    expect([taken('queue'), taken('topic')]).toEqual([range(0, 8), range(0, 8)]);
    expect((await next.stop()).code).toBe(0);
    // What was acknowledged does not come again.
    sink.received.length = 0;
    await start();
    await queue.publish([{ n: 100 }]);
    await toTopic(100);
    await until(() => taken('queue').includes(100) && taken('topic').includes(100));
    expect([taken('queue'), taken('topic')]).toEqual([[100], [100]]);
  });

  test('A-08: two services on one queue: each message is handled by one of them, and by the other when that is killed', async () => {
    const [first, second] = [await start(), await start({ CLIENT_ID: `${name}-other` })];
    cleanups.push(async () => (await brokerClient({ clientId: `${name}-other`, clean: true })).endAsync());
    await queue.publish(range(0, 40).map((n) => ({ n })));
    await until(() => taken('queue').length === 40);
    expect(taken('queue')).toEqual(range(0, 40));
    const handled = (service: Scenario) =>
      service.metric('svc_flow_executions_total{flow="from_queue",status="success"}');
    await until(async () => Number(await handled(first)) + Number(await handled(second)) === 40);
    expect(Math.min(Number(await handled(first)), Number(await handled(second)))).toBeGreaterThan(0);
    const held: (() => void)[] = [];
    sink.react = () => (response) => void held.push(() => response.end('{}'));
    await queue.publish(range(40, 80).map((n) => ({ n })));
    // Both services have all their workers behind messages.
    await until(() => held.length === 20);
    await first.stop('SIGKILL');
    sink.react = () => ({ body: {} });
    for (const answer of held) answer();
    await until(() => new Set(taken('queue')).size === 80);
    // Topics have no group: each service that subscribes gets every message.
    await toTopic(1);
    await until(() => taken('topic').length === 1);
  });

  test('R-34: lost connections to brokers are counted, and made again', async () => {
    const service = await start();
    const lost = (connector: string) => service.metric(`svc_connections_lost_total{connector="${connector}"}`);
    expect([await lost('orders'), await lost('sensors')]).toEqual([undefined, undefined]);
    for (const times of [1, 2]) {
      amqp.proxy.reset();
      mqtt.reset();
      await until(async () => (await lost('orders')) === times && (await lost('sensors')) === times);
      await until(() => count(service.log, 'the broker is available again') === 2 * times);
    }
    await queue.publish([{ n: 1 }]);
    await toTopic(1);
    await until(() => taken('queue').length === 1 && taken('topic').length === 1);
  });

  test('A-09: a process that was suspended until its brokers gave it up handles every message, once', async () => {
    const service = await start({ HEARTBEAT: '1s' });
    await queue.publish([{ n: 0 }]);
    await toTopic(0);
    await until(() => taken('queue').length === 1 && taken('topic').length === 1);
    // What is not acknowledged yet would rightly come again.
    await until(() => amqp.acks === 1 && sent.acknowledge === 1);
    process.kill(service.pid, 'SIGSTOP');
    await until(async () => amqp.proxy.connections < 1 && mqtt.connections < 1);
    await queue.publish([{ n: 1 }]);
    await toTopic(1);
    process.kill(service.pid, 'SIGCONT');
    await until(() => taken('queue').includes(1) && taken('topic').includes(1));
    expect([taken('queue'), taken('topic')]).toEqual([
      [0, 1],
      [0, 1],
    ]);
    await until(async () => (await service.ask('GET', '/health')).status === 200);
  });

  test('A-13: a folder that is half written, empty or swapped by a link: what ran continues, over the same connections', async () => {
    const service = await start();
    const live = await client(service);
    const file = join(service.directory, 'service.hcl');
    const whole = readFileSync(file, 'utf8');
    const swapped = join(service.directory, '..', `${name}.hcl`);
    cleanups.push(() => rmSync(swapped, { force: true }));
    const breaks = [
      () => writeFileSync(file, whole.slice(0, whole.length >> 1)),
      () => writeFileSync(file, ''),
      () => rmSync(file),
      () => {
        writeFileSync(swapped, `${whole}\nconnector "api" {}\n`);
        symlinkSync(swapped, `${file}.new`);
        renameSync(`${file}.new`, file);
      },
      () => {
        rmSync(file);
        mkdirSync(file);
      },
    ];
    let n = 0;
    const handled = async () => {
      await queue.publish([{ n }]);
      await toTopic(n);
      live.say(n);
      n++;
      await until(() => ['queue', 'topic', 'client'].every((path) => taken(path).length === n));
    };
    await handled();
    for (const change of breaks) {
      const failures = (await service.metric('svc_reload_failures_total')) ?? 0;
      change();
      await until(async () => ((await service.metric('svc_reload_failures_total')) ?? 0) > failures);
      await handled();
    }
    rmSync(file, { recursive: true });
    writeFileSync(file, whole.replace('version    = "1.0"', 'version    = "2"'));
    await until(async () => ((await service.metric('svc_reloads_total')) ?? 0) > 0);
    await handled();
    expect([taken('queue'), taken('topic'), taken('client')]).toEqual([range(0, n), range(0, n), range(0, n)]);
    expect([live.isClosed(), amqp.consumes]).toEqual([false, 1]);
    expect([sent.connect, sent.subscribe, mqtt.connections]).toEqual([1, 1, 1]);
  });

  test('A-11: the password of a broker is in no output, whatever happens to the connection', async () => {
    const canary = 'canary-7c1d5b';
    const service = await start({ MQTT_PASSWORD: canary }, ['--log-level', 'debug']);
    const seen: string[] = [];
    const look = async () => {
      for (const path of ['/metrics', '/health', '/health/ready', '/health/live'])
        seen.push((await service.ask('GET', path)).text, (await (await fetch(service.admin + path)).text()) ?? '');
    };
    const debug = await debugClient(service.admin);
    await debug.call('debug.ready', {});
    for (const method of ['inspect.connectors', 'inspect.flows', 'debug.sources', 'debug.threads'] as const)
      seen.push(JSON.stringify(await debug.call(method, {})));
    seen.push(JSON.stringify(await debug.call('inspect.flow', { flow: 'from_topic' } as never).catch(String)));
    await debug.leave();
    await look();
    mqtt.fault = 'refuse';
    mqtt.reset();
    await until(() => count(service.log, 'the broker is unavailable; reconnecting') > 0);
    await look();
    mqtt.fault = 'corrupt';
    await look();
    mqtt.fault = 'pass';
    await until(async () => (await service.ask('GET', '/health')).status === 200);
    writeFileSync(join(service.directory, 'broken.hcl'), 'connector "sensors" {}');
    await until(() => count(service.log, 'reload failed, the earlier configuration keeps serving') > 0);
    await look();
    seen.push(readFileSync(`/proc/${service.pid}/cmdline`, 'utf8'));
    await service.stop();
    seen.push(service.log);
    expect(seen.every((text) => typeof text === 'string')).toBe(true);
    expect(seen.filter((text) => text.includes(canary))).toEqual([]);
    expect(sink.received.some((one) => JSON.stringify(one).includes(canary))).toBe(false);
  });
});
