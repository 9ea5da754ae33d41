import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type PulledPlace, prefetch, pulledSources } from './pulled-sources.ts';

const flow = `
flow "keep" {
  from {
    connector = "orders"
  }
  transform {
    n     = "input.body.n"
    twice = "input.body.n * 2"
  }
  to {
    connector = "sink"
    operation = "POST /kept"
  }
}
`;

describe.each(pulledSources)('messages of $name, pulled one by one', ({ isHere, place: makePlace }) => {
  let sink: Upstream;
  let place: PulledPlace;
  const cleanups: (() => unknown)[] = [];

  beforeEach(async ({ skip }) => {
    skip(!isHere, 'no server of it');
    sink = await startUpstream();
    cleanups.push(() => sink.close());
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function begin(parts?: number): Promise<void> {
    place = await makePlace(parts);
    cleanups.push(() => place.close());
  }
  async function start(args: readonly string[] = []): Promise<Scenario> {
    const service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address },
      args,
      prepare: (directory) => writeFileSync(join(directory, 'orders.hcl'), `${place.connector}\n${flow}`),
    });
    cleanups.push(() => service.end());
    return service;
  }
  async function attach(service: Scenario): Promise<DebugClient> {
    const client = await debugClient(service.admin);
    cleanups.push(() => client.leave());
    return client;
  }
  const kept = () => sink.received.map(({ body }) => (JSON.parse(body) as { n: number }).n);
  const stopAt = (client: DebugClient, stage: string, ruleIndex = -1) =>
    client.call('debug.setBreakpoints', { flow: 'keep', breakpoints: [{ stage, ruleIndex }] });
  const consume = (client: DebugClient) => client.call('debug.consume', { connector: 'orders' });
  const entry = async (client: DebugClient) => (await client.call('debug.sources', {})).sources[0];

  test('nothing is consumed but what is pulled; a message stops at a rule, is stepped through, and is acknowledged after it continued', async () => {
    await begin();
    const service = await start(['--debug-suspend']);
    await place.publish([1, 2, 3]);
    const client = await attach(service);
    const source = { connector: 'orders', type: place.type, source: place.source, manualConsume: true };
    expect(await client.call('debug.ready', {})).toEqual({ ok: true, sources: [source] });
    await stopAt(client, 'transform', 1);
    for (const n of [1, 2]) {
      let isAnswered = false;
      const consumed = consume(client).then((result) => {
        isAnswered = true;
        return result;
      });
      const stopped = await client.next('event.stopped');
      expect(stopped).toMatchObject({ flowName: 'keep', stage: 'transform', rule: { index: 1, target: 'twice' } });
      const { threadId } = stopped;
      // Other calls are answered while this one waits.
      expect(await client.call('debug.variables', { threadId })).toMatchObject({ output: { n } });
      expect((await client.call('debug.threads', {})).threads).toMatchObject([
        { id: threadId, paused: true, holds: { kind: 'message', connector: 'orders', source: place.source } },
      ]);
      await until(async () => (await entry(client))?.ready === 3 - n);
      expect(await entry(client)).toEqual({
        ...source,
        flows: ['keep'],
        ready: 3 - n,
        unacked: 1,
        prefetch,
        position: 'demand',
      });
      const { sources: figures } = await client.call('debug.figures', { connector: 'orders' });
      const [{ places } = { places: null }] = figures;
      // A folder has no broker; of a log what is held waits too.
      if (place.type === 'file') expect(figures).toEqual([{ connector: 'orders', places: null }]);
      else expect([3 - n, 4 - n]).toContain(places?.[0]?.ready);
      await client.call('debug.next', { threadId });
      expect(await client.next('event.stopped')).toMatchObject({ threadId, stage: 'write', reason: 'step' });
      expect([isAnswered, kept().length, await place.acknowledged()]).toEqual([false, n - 1, n - 1]);
      await client.call('debug.continue', { threadId });
      expect(await consumed).toEqual({ ok: true });
      expect(client.events.at(-1)).toMatchObject(['event.flowEnd', { threadId, error: '' }]);
      await until(async () => (await place.acknowledged()) === n);
      expect(kept()).toEqual(Array.from({ length: n }, (_, at) => at + 1));
    }
    // When the last client leaves, messages come by themselves.
    await client.call('debug.detach', {});
    await until(async () => kept().length === 3 && (await place.acknowledged()) === 3);
    expect((await service.stop()).code).toBe(0);
  });

  test('a pull waits for a message; cancelled, or when its client goes, it takes none', async () => {
    await begin();
    const service = await start();
    const watching = await attach(service);
    await watching.call('debug.ready', {});
    const cancelled = consume(watching).catch((error: unknown) => error);
    expect(await watching.call('debug.cancelConsume', { connector: 'orders' })).toEqual({ ok: true, cancelled: 1 });
    expect(await cancelled).toMatchObject({
      code: -32603,
      message: 'waiting for a message of "orders" was cancelled: none was taken',
    });
    const leaving = await attach(service);
    const left = consume(leaving).catch(() => undefined);
    await leaving.leave();
    await left;
    await until(() => service.log.includes('debug client left'));
    const waiting = consume(watching);
    await place.publish([1, 2]);
    expect(await waiting).toEqual({ ok: true });
    expect(kept()).toEqual([1]);
    expect(await watching.call('debug.cancelConsume', {})).toEqual({ ok: true, cancelled: 0 });
    await until(async () => (await place.acknowledged()) === 1);
    const ask = (within: number) => watching.call('debug.consume', { connector: 'orders', within });
    expect([await ask(5_000), await ask(0)]).toEqual([
      { ok: true, taken: true },
      { ok: true, taken: false },
    ]);
    for (const [params, code] of [
      [{ connector: 'orders', within: -1 }, -32602],
      [{ connector: 'nothing' }, -32603],
      [{ connector: 'sink' }, -32603],
      [{}, -32602],
      [{ connector: 'orders', until: 'soon' }, -32602],
    ] as const)
      await expect(watching.call('debug.consume', params as never)).rejects.toMatchObject({ code });
  });

  test('two clients pull a message each, either lets them run, and one that leaves in the middle leaves its message to end', async () => {
    await begin();
    const service = await start();
    const [one, other] = [await attach(service), await attach(service)];
    await stopAt(one, 'write');
    await stopAt(other, 'write');
    await place.publish([1, 2, 3]);
    const first = consume(one);
    const held = await one.next('event.stopped');
    const second = consume(other).catch(() => undefined);
    await other.next('event.stopped');
    const next = await other.next('event.stopped');
    expect([next.threadId === held.threadId, kept()]).toEqual([false, []]);
    await other.call('debug.continue', { threadId: held.threadId });
    expect(await first).toEqual({ ok: true });
    await other.leave();
    await second;
    // The other client's breakpoint stopped it too.
    expect((await one.call('debug.threads', {})).threads).toMatchObject([{ id: next.threadId, paused: true }]);
    await one.call('debug.detach', {});
    await until(async () => kept().length === 3 && (await place.acknowledged()) === 3);
    expect(kept().toSorted()).toEqual([1, 2, 3]);
  });

  test('the gate in its three positions', async () => {
    await begin();
    const service = await start();
    const client = await attach(service);
    await stopAt(client, 'write');
    await client.call('debug.setGate', { position: 'single' });
    await place.publish([1, 2, 3, 4]);
    for (const n of [1, 2]) {
      const { threadId } = await client.next('event.stopped');
      expect([(await client.call('debug.threads', {})).threads.length, kept().length]).toEqual([1, n - 1]);
      await expect(consume(client)).rejects.toMatchObject({
        code: -32603,
        message: 'the gate of connector "orders" is open: messages come by themselves',
      });
      if (n === 2) await client.call('debug.setGate', { position: 'demand', connector: 'orders' });
      await client.call('debug.continue', { threadId });
    }
    await until(() => kept().length === 2);
    const third = consume(client);
    const { threadId } = await client.next('event.stopped');
    expect((await client.call('debug.threads', {})).threads.length).toBe(1);
    await client.call('debug.continue', { threadId });
    await third;
    expect(kept()).toEqual([1, 2, 3]);
    await client.call('debug.setBreakpoints', { flow: 'keep', breakpoints: [] });
    await client.call('debug.setGate', { position: 'open' });
    await until(() => kept().length === 4);
    expect((await entry(client))?.position).toBe('open');
  });

  test('a flow that fails ends the pull with its error in the event, and the message comes again', async () => {
    await begin();
    sink.react = () => ({ status: 503 });
    const service = await start();
    const client = await attach(service);
    await client.call('debug.ready', {});
    await place.publish([1]);
    expect(await consume(client)).toEqual({ ok: true });
    const ended = await client.next('event.flowEnd');
    expect(ended.error).toContain('503');
    expect(await place.acknowledged()).toBe(0);
    sink.react = () => ({ body: {} });
    sink.received.length = 0;
    await client.leave();
    await until(async () => kept().length === 1);
    await service.stop();
    await until(async () => (await place.acknowledged()) >= 1);
  });

  test('killed while a message is held, it has acknowledged nothing: the next process gets it', async () => {
    await begin();
    const service = await start();
    const client = await attach(service);
    await stopAt(client, 'write');
    await place.publish([1, 2]);
    const consumed = consume(client).catch((error: Error) => error.message);
    await client.next('event.stopped');
    await service.stop('SIGKILL');
    expect(await consumed).toBe('the connection was closed');
    expect([kept(), await place.acknowledged()]).toEqual([[], 0]);
    await start();
    await until(async () => kept().length >= 2 && (await place.acknowledged()) === 2);
    expect(kept().toSorted()).toEqual([1, 2]);
  });

  test('acknowledged before its flow by what is written, a pulled one is acknowledged after it', async ({ skip }) => {
    await begin();
    skip(place.eager === undefined, 'it always acknowledges after the flow');
    place = { ...place, connector: place.connector.replace(/prefetch +=.*/, place.eager as string) };
    const client = await attach(await start(['--debug-suspend']));
    await stopAt(client, 'write');
    await client.call('debug.ready', {});
    await place.publish([1]);
    const consumed = consume(client);
    const { threadId } = await client.next('event.stopped');
    await client.call('debug.sources', {});
    expect(await place.acknowledged()).toBe(0);
    await client.call('debug.continue', { threadId });
    await consumed;
    await until(async () => (await place.acknowledged()) === 1);
  });

  test('of two workers, whichever has the message', async () => {
    await begin(2);
    const service = await start(['--workers', '2']);
    await place.publish([10, 11]);
    await until(
      () => kept().length === 2 && (service.log.match(place.spread ?? /^/g)?.length ?? 0) >= (place.spread ? 2 : 1),
    );
    const client = await attach(service);
    await client.call('debug.ready', {});
    await place.publish([0, 1, 2, 3]);
    for (let count = 1; count <= 4; count++) {
      expect(await consume(client)).toEqual({ ok: true });
      expect(kept().length).toBe(2 + count);
    }
    expect(kept().slice(2).toSorted()).toEqual([0, 1, 2, 3]);
    await until(async () => (await place.acknowledged()) === 6);
    const waiting = consume(client).catch((error: unknown) => error);
    expect(await client.call('debug.cancelConsume', { connector: 'orders' })).toEqual({ ok: true, cancelled: 1 });
    expect(await waiting).toMatchObject({ code: -32603 });
    expect(await client.call('debug.consume', { connector: 'orders', within: 300 })).toEqual({
      ok: true,
      taken: false,
    });
    await client.leave();
    await place.publish([4, 5]);
    await until(() => kept().length === 8);
  });
});
