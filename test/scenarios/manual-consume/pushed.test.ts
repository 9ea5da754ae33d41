import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { type DebugClient, debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';
import { type PushedPlace, pushedSources, stopServers } from './pushed-sources.ts';

const flowOf = ({ operation, number }: PushedPlace) => `
flow "keep" {
  from {
    connector = "orders"
    operation = "${operation}"
  }
  transform {
    n     = "${number}"
    twice = "output.n * 2"
  }
  to {
    connector = "sink"
    operation = "POST /kept"
  }
}
`;

afterAll(stopServers);

describe.each(pushedSources)('messages of $name, which are pushed', ({ isHere, redelivers, place: makePlace }) => {
  let sink: Upstream;
  let place: PushedPlace;
  const cleanups: (() => unknown)[] = [];

  beforeEach(async ({ skip }) => {
    skip(!isHere, 'no server of it');
    sink = await startUpstream();
    cleanups.push(() => sink.close());
    place = await makePlace();
    cleanups.push(() => place.close());
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function start(args: readonly string[] = []): Promise<Scenario> {
    const service = await startScenario(import.meta.dirname, {
      env: { SINK_URL: sink.address },
      args,
      prepare: (directory) => writeFileSync(join(directory, 'orders.hcl'), `${place.connector}\n${flowOf(place)}`),
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

  test('come one at a time while a client is attached, cannot be pulled, and come freely when it has left', async () => {
    const service = await start();
    const client = await attach(service);
    const source = { connector: 'orders', type: place.type, source: place.source, manualConsume: false };
    expect(await client.call('debug.ready', {})).toEqual({ ok: true, sources: [source] });
    await client.call('debug.setBreakpoints', {
      flow: 'keep',
      breakpoints: [{ stage: 'transform', ruleIndex: 1 }],
    });
    await expect(client.call('debug.consume', { connector: 'orders' })).rejects.toMatchObject({
      code: -32603,
      message: 'messages of connector "orders" are pushed and cannot be pulled',
    });
    await expect(client.call('debug.setGate', { connector: 'orders', position: 'demand' })).rejects.toMatchObject({
      code: -32603,
    });
    await place.publish([1, 2, 3], service.address);
    for (const n of [1, 2, 3]) {
      const stopped = await client.next('event.stopped');
      const { threadId } = stopped;
      expect(stopped).toMatchObject({ stage: 'transform', rule: { index: 1, target: 'twice' }, reason: 'breakpoint' });
      expect((await client.call('debug.threads', {})).threads).toMatchObject([
        { id: threadId, paused: true, holds: { kind: 'message', connector: 'orders' } },
      ]);
      expect(await client.call('debug.variables', { threadId })).toMatchObject({ output: { n } });
      const [entry] = (await client.call('debug.sources', {})).sources;
      expect(await client.call('debug.figures', {})).toEqual({ sources: [{ connector: 'orders', places: null }] });
      expect(entry).toMatchObject({ ...source, flows: ['keep'], position: 'single' });
      await client.call('debug.next', { threadId });
      expect(await client.next('event.stopped')).toMatchObject({ threadId, stage: 'write', reason: 'step' });
      expect(kept().length).toBe(n - 1);
      await client.call('debug.continue', { threadId });
      await client.next('event.flowEnd');
      expect(kept()).toEqual(Array.from({ length: n }, (_, at) => at + 1));
    }
    await client.call('debug.detach', {});
    await place.publish([4, 5], service.address);
    await until(() => kept().length === 5);
    expect(kept().toSorted()).toEqual([1, 2, 3, 4, 5]);
    expect((await service.stop()).code).toBe(0);
  });

  test('a client that dies leaves what it held to end, and what waited comes', async () => {
    const service = await start();
    const client = await attach(service);
    await client.call('debug.setBreakpoints', { flow: 'keep', breakpoints: [{ stage: 'write', ruleIndex: -1 }] });
    await place.publish([1, 2, 3], service.address);
    await client.next('event.stopped');
    expect(kept()).toEqual([]);
    await client.leave();
    await until(() => kept().length === 3);
    expect(kept().toSorted()).toEqual([1, 2, 3]);
    await service.stop();
  });

  test('killed while one is held, it has settled none: they come again where the protocol can', async () => {
    const service = await start();
    const client = await attach(service);
    await client.call('debug.setBreakpoints', { flow: 'keep', breakpoints: [{ stage: 'write', ruleIndex: -1 }] });
    await place.publish([1, 2], service.address);
    await client.next('event.stopped');
    await service.stop('SIGKILL');
    expect(kept()).toEqual([]);
    await place.forget?.();
    const next = await start();
    await place.publish([3], next.address);
    await until(() => kept().includes(3) && (!redelivers || kept().length >= 3));
    expect([...new Set(kept())].toSorted()).toEqual(redelivers ? [1, 2, 3] : [3]);
  });
});
