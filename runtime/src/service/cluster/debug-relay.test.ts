import { joinedChannels, WireClient, type WireError } from '@svc/protocol/wire';
import { describe, expect, test } from 'vitest';
import type { DebugMessage } from './debug-messages.ts';
import { DebugRelay } from './debug-relay.ts';

interface Asked {
  readonly id: number;
  readonly method: string;
  readonly params: unknown;
}

/** A relay with one client; workers are played by the test. */
function relayed() {
  const relay = new DebugRelay();
  const [ours, theirs] = joinedChannels();
  relay.connect(theirs);
  const client = new WireClient(ours);
  /** A worker that joins; it answers when the test says so. */
  const join = (worker: number) => {
    const got: DebugMessage[] = [];
    relay.joined(worker, (message) => void got.push(message));
    const asked = () => got.flatMap((message) => ('text' in message ? [JSON.parse(message.text) as Asked] : []));
    const says = (message: object) =>
      relay.said(worker, { debug: 1, text: JSON.stringify({ jsonrpc: '2.0', ...message }) });
    return {
      got,
      says,
      methods: () => asked().map(({ method, params }) => [method, params]),
      /** Answers the last request. */
      answers: (result: unknown) => says({ id: asked().at(-1)?.id, result }),
      refuses: (code: number) => says({ id: asked().at(-1)?.id, error: { code, message: 'no' } }),
    };
  };
  return { relay, client, join };
}

const attached = { sessionId: 's1', flows: ['f'], capabilities: [] };
/** Requests arrive in a later microtask. */
const arrived = () => new Promise((resolve) => setImmediate(resolve));

async function attachedTo(...numbers: number[]) {
  const made = relayed();
  const workers = numbers.map(made.join);
  const attaching = made.client.call('debug.attach', { clientName: 'c' });
  await arrived();
  for (const worker of workers) worker.answers(attached);
  expect(await attaching).toEqual(attached);
  return { ...made, workers };
}

const module = (count: number, kind: string, serves: readonly string[]) => ({
  name: 'geo/geo.wasm',
  kind,
  serves,
  hash: null as string | null,
  ...{ instances: count, waiting: count, calls: count, failed: count, ended: count, rebuilt: count },
});

/** What a worker says of its modules; the second one knows no validator, and has started the other. */
const modulesOf = (worker: number) => ({
  plugins: [{ name: 'geo' }],
  modules:
    worker === 1
      ? [module(1, 'functions', ['a', 'b']), module(2, 'validator', ['v'])]
      : [{ ...module(2, 'functions', ['a', 'b']), hash: 'h2' }],
});

const codeOf = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    ({ code }: WireError) => code,
  );

describe('a client of several workers', () => {
  test('is refused before it has attached, while no worker serves, and what no worker accepts', async () => {
    const { client, join } = relayed();
    expect(await codeOf(client.call('debug.threads', {}))).toBe(-32000);
    expect(await codeOf(client.call('debug.attach', {}))).toBe(-32603);
    const worker = join(1);
    const attaching = codeOf(client.call('debug.attach', {}));
    await arrived();
    worker.refuses(-32602);
    expect(await attaching).toBe(-32602);
    expect(await codeOf(client.call('debug.threads', {}))).toBe(-32000);
  });

  test('asks the worker that has a connector about it, and sets there again what was set when it moves', async () => {
    const { relay, client, workers } = await attachedTo(1, 2);
    relay.placed('sensors', 2);
    const gate = { connector: 'sensors', position: 'single' };
    const moving = client.call('debug.setGate', gate as never);
    await arrived();
    workers[1]?.answers({});
    await moving;
    const consuming = client.call('debug.consume', { connector: 'sensors' } as never);
    await arrived();
    workers[1]?.answers({ consumed: true });
    expect(await consuming).toEqual({ consumed: true });
    expect(workers[0]?.methods().map(([method]) => method)).toEqual(['debug.attach', 'debug.setGate']);
    relay.left(2);
    relay.placed('sensors', 1);
    expect(workers[0]?.methods().at(-1)).toEqual(['debug.setGate', gate]);
  });

  test('reads the answers of all as one, in the order of the workers', async () => {
    const { client, workers } = await attachedTo(1, 2);
    const threads = client.call('debug.threads', {});
    const ready = client.call('debug.ready', {});
    const flows = client.call('inspect.flows', {});
    const sources = client.call('debug.sources', {});
    const figures = client.call('debug.figures', {});
    const cancelled = client.call('debug.cancelConsume', {});
    const modules = client.call('inspect.modules', {});
    await arrived();
    for (const worker of [...workers].reverse()) {
      const at = workers.indexOf(worker) + 1;
      for (const message of worker.got) {
        const { id, method } = 'text' in message ? (JSON.parse(message.text) as Asked) : { id: 0, method: '' };
        if (method === 'debug.threads') worker.says({ id, result: { threads: [`${at}.t`] } });
        if (method === 'debug.ready') worker.says({ id, result: { ok: true, sources: [{ connector: 'q' }] } });
        if (method === 'debug.sources') worker.says({ id, result: { sources: [{ connector: 'q', unacked: at }] } });
        const places = at === 1 ? null : [{ source: 's', ready: at }];
        if (method === 'debug.figures') worker.says({ id, result: { sources: [{ connector: 'q', places }] } });
        if (method === 'debug.cancelConsume') worker.says({ id, result: { ok: true, cancelled: at } });
        if (method === 'inspect.flows') worker.says({ id, result: [at] });
        if (method === 'inspect.modules') worker.says({ id, result: modulesOf(at) });
      }
    }
    expect(await Promise.all([threads, ready, flows, sources, figures, cancelled, modules])).toEqual([
      { threads: ['1.t', '2.t'] },
      { ok: true, sources: [{ connector: 'q' }] },
      [1],
      { sources: [{ connector: 'q', unacked: 3 }] },
      { sources: [{ connector: 'q', places: [{ source: 's', ready: 2 }] }] },
      { ok: true, cancelled: 3 },
      {
        plugins: [{ name: 'geo' }],
        modules: [
          { ...module(3, 'functions', ['a', 'b']), hash: 'h2' },
          { ...module(2, 'validator', ['v']), hash: null },
        ],
      },
    ]);
  });

  test('adds up the runs of schedules, and has what is done once done by one worker', async () => {
    const { client, workers } = await attachedTo(1, 2);
    const at = '2026-01-01T00:00:00.000Z';
    const schedule = (flow: string, running: number, last: object | null) => ({
      flow,
      running,
      waiting: running,
      last,
    });
    const answers = [
      [schedule('a', 1, { at, outcome: 'elsewhere' }), schedule('b', 0, { at: '2026-01-02', outcome: 'failed' })],
      [schedule('a', 2, { at, outcome: 'succeeded' }), schedule('b', 1, { at, outcome: 'succeeded' })],
    ];
    const schedules = client.call('inspect.schedules', {});
    await arrived();
    for (const [index, worker] of workers.entries()) worker.answers({ schedules: answers[index] });
    expect(await schedules).toEqual({
      schedules: [
        schedule('a', 3, { at, outcome: 'succeeded' }),
        schedule('b', 1, { at: '2026-01-02', outcome: 'failed' }),
      ],
    });
    const id = 'wf_1';
    const calls = [
      client.call('inspect.workflows', {}),
      client.call('inspect.workflow', { id }),
      client.call('debug.signalWorkflow', { id, signal: 'keys' }),
      client.call('debug.cancelWorkflow', { id }),
      client.call('debug.runSchedule', { flow: 'a' }),
    ];
    await arrived();
    const asked = workers.map(({ methods }) =>
      methods()
        .slice(2)
        .map(([method]) => method),
    );
    expect(asked).toEqual([
      ['inspect.workflows', 'inspect.workflow', 'debug.signalWorkflow', 'debug.cancelWorkflow', 'debug.runSchedule'],
      [],
    ]);
    client.close();
    await Promise.allSettled(calls);
  });

  test('S-08: is unlocked in every worker, and in one that joins until it is locked again', async () => {
    const { client, workers, join } = await attachedTo(1);
    const toggle = async (method: 'debug.unlock' | 'debug.lock') => {
      const done = client.call(method, {});
      await arrived();
      for (const worker of workers) worker.answers({ ok: true });
      await done;
    };
    await toggle('debug.unlock');
    const joined = join(2);
    expect(joined.methods().map(([method]) => method)).toEqual(['debug.attach', 'debug.unlock']);
    workers.push(joined);
    await toggle('debug.lock');
    expect(joined.methods().at(-1)).toEqual(['debug.lock', {}]);
    expect(
      join(3)
        .methods()
        .map(([method]) => method),
    ).toEqual(['debug.attach']);
  });

  test('asks every worker about what each keeps for itself, and drops it in all of them', async () => {
    const { client, workers } = await attachedTo(1, 2);
    const asked = ['inspect.caches', 'inspect.cacheKeys', 'inspect.cacheEntry', 'inspect.metrics', 'debug.dropCache'];
    for (const method of asked) client.call(method as 'debug.dropCache', { flow: 'f' }).catch(() => undefined);
    const dropping = client.call('debug.dropCacheEntry', { flow: 'f', key: 'k' });
    await arrived();
    for (const [at, worker] of workers.entries()) {
      expect(worker.methods().map(([method]) => method)).toEqual(['debug.attach', ...asked, 'debug.dropCacheEntry']);
      worker.answers({ ok: true, dropped: at + 1 });
    }
    expect(await dropping).toEqual({ ok: true, dropped: 3 });
  });

  test('loses the requests of a worker that dies, and no others', async () => {
    const { client, relay, workers } = await attachedTo(1, 2);
    const own = codeOf(client.call('debug.continue', { threadId: '1.t1' }));
    const all = client.call('debug.threads', {});
    await arrived();
    workers[1]?.answers({ threads: ['2.t1'] });
    relay.left(1);
    expect([await own, await all]).toEqual([-32603, { threads: ['2.t1'] }]);
    expect(await codeOf(client.call('debug.continue', { threadId: '1.t1' }))).toBe(-32001);
  });

  test('is set up again in a worker that joins, also when that happens while it sets something', async () => {
    const { client, join, workers } = await attachedTo(1);
    const breakpoints = (flow: string, count: number) => ({
      flow,
      breakpoints: Array.from({ length: count }, () => ({ stage: 'transform', ruleIndex: 0 })),
    });
    const set = async (flow: string, count: number) => {
      const setting = client.call('debug.setBreakpoints', breakpoints(flow, count));
      await arrived();
      const answer = () => {
        workers[0]?.answers({ breakpoints: [] });
        return setting;
      };
      return { answer };
    };
    await (await set('f', 1)).answer();
    await (await set('gone', 1)).answer();
    await (await set('gone', 0)).answer();
    for (const [position, connector] of [
      ['single', 'a'],
      ['open', undefined],
      ['demand', 'b'],
      ['single', 'b'],
    ] as const) {
      const moving = client.call('debug.setGate', { position, connector });
      await arrived();
      workers[0]?.answers({ ok: true });
      await moving;
    }
    const late = await set('late', 1);
    const joined = join(2);
    expect(joined.methods()).toEqual([
      ['debug.attach', { clientName: 'c' }],
      ['debug.setBreakpoints', breakpoints('f', 1)],
      ['debug.setGate', { position: 'open' }],
      ['debug.setGate', { position: 'single', connector: 'b' }],
    ]);
    await late.answer();
    expect(joined.methods().at(-1)).toEqual(['debug.setBreakpoints', breakpoints('late', 1)]);
    const leaving = client.call('debug.detach', {});
    await arrived();
    for (const worker of [...workers, joined]) worker.answers({ ok: true });
    await leaving;
    expect(join(3).methods()).toEqual([]);
  });

  test('hears the events of all; a worker is notified when they have left, and when the client has gone', async () => {
    const { client, workers } = await attachedTo(1, 2);
    const heard: string[] = [];
    client.on('event.continued', ({ threadId }) => void heard.push(threadId));
    for (const [at, worker] of workers.entries())
      worker.says({ method: 'event.continued', params: { threadId: `${at + 1}.t` } });
    await arrived();
    expect(heard).toEqual(['1.t', '2.t']);
    client.close();
    await arrived();
    for (const { got } of workers)
      expect(got.slice(-2)).toEqual([
        { debug: 1, sent: true },
        { debug: 1, close: 1000, reason: '' },
      ]);
  });

  test('stays when a worker stops, and goes when a worker says that it does not read', async () => {
    const { client, relay } = await attachedTo(1, 2);
    relay.said(1, { debug: 1, close: 1001, reason: 'the service stops' });
    expect(await codeOf(client.call('debug.continue', { threadId: '1.t1' }))).toBe(-32001);
    relay.said(2, { debug: 1, close: 1013, reason: 'the client does not read' });
    await client.closed;
    expect(relay.connections).toBe(0);
  });
});

test('a client that reads nothing is disconnected', async () => {
  const relay = new DebugRelay();
  const over = Promise.withResolvers<void>();
  let reason: unknown;
  relay.connect({
    send: () => new Promise(() => undefined),
    receive: () => undefined,
    close: (...why) => {
      reason = why;
      over.resolve();
    },
    closed: over.promise,
  });
  relay.joined(1, () => undefined);
  const text = `{"jsonrpc":"2.0","method":"${'x'.repeat(1_000_000)}"}`;
  for (let at = 0; at < 70 && reason === undefined; at++) relay.said(1, { debug: 1, text });
  expect(reason).toEqual([1013, 'the client does not read']);
});
