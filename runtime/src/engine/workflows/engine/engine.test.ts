import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { never, postgresConnector } from '../../../connectors/database/testing/parts.ts';
import { postgresUrl } from '../../../connectors/database/testing/postgres.ts';
import { TestProxy } from '../../../connectors/database/testing/proxy.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { until } from '../../../service/running/testing/fakes.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import type { HiddenValues } from '../hidden-values.ts';
import { instanceId } from '../identity.ts';
import type { SagaAction, SagaProgram, SagaState } from '../program.ts';
import type { WorkflowStore } from '../store/store.ts';
import { postgresBed, sqliteBed, storeOn } from '../testing/beds.ts';
import { doing, engineOn, instanceOf, programOf, recorded } from '../testing/engines.ts';
import type { StoreBed } from '../testing/store-conformance.ts';

let bed: StoreBed;
let store: WorkflowStore;
let effects: string[];
const engines: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  bed = await sqliteBed();
  store = await bed.store();
  effects = [];
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  await bed.close();
});

/** An engine that is stopped after the test. */
async function started(programs: readonly SagaProgram[], over: Parameters<typeof engineOn>[2] = {}, on = store) {
  const made = engineOn(on, programs, over);
  engines.push(made.engine);
  await made.engine.start();
  return made;
}

const statusOf = async (id: string) => (await store.get(id))?.state.status;
const five = ['one', 'two', 'three', 'four', 'five'];

/** Begins an instance and returns its id. */
async function begun(engine: { begin(state: SagaState): Promise<void> }, program: SagaProgram): Promise<string> {
  const state = instanceOf(program);
  await engine.begin(state);
  return state.id;
}

/** A store that can be made to fail. */
function failing(inner: WorkflowStore): WorkflowStore & { away: boolean } {
  const proxy = new Proxy(inner as WorkflowStore & { away: boolean }, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...given: unknown[]) =>
        target.away
          ? Promise.reject(new Failure('connector_refused', 'the database is unavailable'))
          : (method as (...all: unknown[]) => unknown).apply(target, given);
    },
    set: (target, name, value) => Reflect.set(target, name, value),
  });
  proxy.away = false;
  return proxy;
}

describe('running', () => {
  test('an instance that begins here runs at once, and all of its state is kept and counted', async () => {
    const program = programOf(recorded(effects, ['one', 'two']));
    const { engine, metrics } = await started([program], { poll: 60_000 });
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect(effects).toEqual(['one', 'two']);
    expect((await store.get(id))?.state.results).toEqual({ one: 'one', two: 'two' });
    expect(metrics.text()).toContain('svc_workflow_finished_total{saga="rent",status="completed"} 1');
    expect(metrics.text()).toContain('svc_workflow_steps_total{saga="rent",step="one",status="success"} 1');
  });

  test('a delay ends at its time, whether this process or another one is there then', async () => {
    const program = programOf(recorded(effects, ['one', 'two'], { one: { delay: 80 } }));
    const { engine } = await started([program], { poll: 60_000 });
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('waiting');
    await engine.stop();
    await started([program]);
    await expect.poll(() => statusOf(id)).toBe('completed');
  });

  test('no more instances run at a time than the engine has room for, and all of them run', async () => {
    let most = 0;
    let now = 0;
    const action = doing(effects, 'one', async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setTimeout(resolve, 5));
      now--;
    });
    const program = programOf({ one: { action } });
    const { engine } = await started([program], { concurrency: 3, poll: 60_000 });
    const ids = await Promise.all(Array.from({ length: 10 }, () => begun(engine, program)));
    await expect.poll(() => Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'completed'));
    expect({ most, times: effects.length }).toEqual({ most: 3, times: 10 });
  });

  test('R-44: of two processes with one database each step runs exactly once', async () => {
    const program = programOf(recorded(effects, five, { two: { delay: 20 } }));
    const [first] = [await started([program]), await started([program])];
    const ids = await Promise.all(Array.from({ length: 20 }, () => begun(first.engine, program)));
    await expect.poll(() => Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'completed'));
    expect(effects.toSorted()).toEqual(five.flatMap((name) => ids.map(() => name)).sort());
  });

  test('R-53: a saga of seven days expires after seven days', async () => {
    const clock = new ManualClock();
    const week = 7 * 86_400_000;
    const program = programOf(recorded(effects, ['one', 'two'], { two: { await: 'keys' } }), { timeout: week });
    const { engine } = await started([program], { clock, poll: 3_600_000 });
    const state = instanceOf(program, clock);
    await engine.begin(state);
    await expect.poll(() => statusOf(state.id)).toBe('waiting');
    await clock.pass(week - 1);
    await clock.pass(0);
    expect(await statusOf(state.id)).toBe('waiting');
    await clock.pass(1);
    await expect.poll(() => statusOf(state.id)).toBe('failed');
    expect(effects).toEqual(['one', 'undo one']);
    expect((await store.get(state.id))?.state.error).toBe('saga "rent": its timeout passed');
  });
});

test('R-56: identifiers cannot be guessed', () => {
  const ids = new Set(Array.from({ length: 1000 }, () => instanceId('wf')));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(id).toMatch(/^wf_[0-9a-f]{32}$/);
});

test('what is kept stays hidden where rules read what is hidden, also under a configuration without them', async () => {
  const seen: unknown[] = [];
  const look: SagaAction = ({ message }) => void seen.push(message.hidden);
  const program = programOf({ one: { action: look, await: 'go' }, two: { action: look } });
  let hidden: HiddenValues | undefined = 'outside_development';
  const { engine } = await started([program], { hidden: () => hidden });
  const [id, open] = [await begun(engine, program), instanceOf(program)];
  await until(async () => (await statusOf(id)) === 'waiting');
  expect((await store.get(id))?.state.hidden).toBe('outside_development');
  hidden = undefined;
  await engine.begin(open);
  await until(async () => (await statusOf(open.id)) === 'waiting');
  expect((await store.get(open.id))?.state.hidden).toBe(undefined);
  await store.signal(id, 'go', {}, Date.now());
  engine.wake();
  await until(async () => (await statusOf(id)) === 'completed');
  hidden = 'always';
  await store.signal(open.id, 'go', {}, Date.now());
  engine.wake();
  await until(async () => (await statusOf(open.id)) === 'completed');
  expect(seen).toEqual(['outside_development', 'outside_development', 'always', 'always']);
  expect([(await store.get(id))?.state.hidden, (await store.get(open.id))?.state.hidden]).toEqual([
    'outside_development',
    'always',
  ]);
});

test('credentials in headers of the request that began an instance are not written into the table', async () => {
  const program = programOf(recorded(effects, ['one']));
  const { engine } = await started([program]);
  const headers = { authorization: 'Bearer x', cookie: 'a=b', 'x-api-key': 'k', accept: '*/*' };
  const state = { ...instanceOf(program), input: { van: 1, headers } };
  await engine.begin(state);
  expect((await store.get(state.id))?.state.input).toEqual({ van: 1, headers: { accept: '*/*' } });
});

describe('signals', () => {
  const program = () => programOf(recorded(effects, ['one', 'two'], { one: { await: 'keys' } }));

  test('a signal resumes the instance with its body', async () => {
    const { engine } = await started([program()], { poll: 60_000 });
    const id = await begun(engine, program());
    await expect.poll(() => statusOf(id)).toBe('waiting');
    await store.signal(id, 'keys', { by: 'ann' }, Date.now());
    engine.wake();
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect((await store.get(id))?.state.signal).toEqual({ by: 'ann' });
  });

  test('R-59: a signal that comes before the wait is not lost', async () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const action = doing(effects, 'one', () => {
      reached.resolve();
      return go.promise;
    });
    const saga = programOf(recorded(effects, ['one', 'two'], { one: { action }, two: { await: 'keys' } }));
    const { engine } = await started([saga], { poll: 60_000, lease: 60_000 });
    const id = await begun(engine, saga);
    await reached.promise;
    expect(await store.signal(id, 'keys', {}, Date.now())).toBe('kept');
    go.resolve();
    await expect.poll(() => statusOf(id)).toBe('completed');
  });

  test('R-59: of two signals at once one resumes, whichever process takes it', async () => {
    const saga = programOf(
      recorded(effects, ['one', 'two', 'three'], { one: { await: 'keys' }, two: { await: 'keys' } }),
    );
    const [first] = [await started([saga]), await started([saga])];
    const id = await begun(first.engine, saga);
    await expect.poll(() => statusOf(id)).toBe('waiting');
    const both = [store.signal(id, 'keys', {}, Date.now()), store.signal(id, 'keys', {}, Date.now())];
    expect((await Promise.all(both)).sort()).toEqual(['already', 'kept']);
    await expect.poll(() => effects).toEqual(['one']);
    await expect.poll(async () => (await store.get(id))?.stepName).toBe('two');
    expect(await statusOf(id)).toBe('waiting');
  });
});

describe('cancellations', () => {
  test('R-43: one of a waiting instance undoes its completed steps in reverse, in whichever process', async () => {
    const program = programOf(recorded(effects, ['one', 'two', 'three'], { two: { await: 'keys' } }));
    const { engine } = await started([program], { poll: 60_000 });
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('waiting');
    await store.requestCancel(id, Date.now());
    engine.wake();
    await expect.poll(() => statusOf(id)).toBe('cancelled');
    expect(effects).toEqual(['one', 'undo one']);
  });

  test.each([undefined, 'keys'])(
    'R-43: one of a running instance takes effect after the step in progress (await %s)',
    async (event) => {
      const reached = Promise.withResolvers<void>();
      const go = Promise.withResolvers<void>();
      const action = doing(effects, 'two', () => {
        reached.resolve();
        return go.promise;
      });
      const program = programOf(recorded(effects, ['one', 'two', 'three'], { two: { action, await: event } }));
      const { engine } = await started([program], { poll: 60_000 });
      const id = await begun(engine, program);
      if (event !== undefined) await store.signal(id, event, {}, Date.now());
      engine.wake();
      await reached.promise;
      await store.requestCancel(id, Date.now());
      go.resolve();
      await expect.poll(() => statusOf(id)).toBe('cancelled');
      expect(effects).toEqual(['one', 'two', 'undo two', 'undo one']);
    },
  );
});

describe('stopping', () => {
  test('R-42: the step in progress is done and counts, the rest runs after a restart, and nothing is undone', async () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const action = doing(effects, 'two', () => {
      reached.resolve();
      return go.promise;
    });
    const program = programOf(recorded(effects, five, { two: { action } }));
    const { engine, lines } = await started([program], { lease: 60_000 });
    const id = await begun(engine, program);
    await reached.promise;
    const stopped = engine.stop();
    go.resolve();
    await stopped;
    expect(await store.get(id)).toMatchObject({
      stepName: 'three',
      state: { status: 'running', undo: ['one', 'two'] },
    });
    expect(effects).toEqual(['one', 'two']);
    await started([program], { lease: 60_000 });
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect({ effects, warnings: lines }).toEqual({ effects: five, warnings: [] });
  });

  test('R-42: a step that takes longer than stopping may is cut, neither counted nor undone, and repeated', async () => {
    const reached = Promise.withResolvers<void>();
    let tries = 0;
    const action = doing(effects, 'two', ({ signal }) => {
      reached.resolve();
      if (++tries > 1) return undefined;
      return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    });
    const program = programOf(recorded(effects, ['one', 'two'], { two: { action } }));
    const { engine } = await started([program], { lease: 60_000, stopTime: 20 });
    const id = await begun(engine, program);
    await reached.promise;
    await engine.stop();
    expect(await store.get(id)).toMatchObject({ stepName: 'two', state: { status: 'running', undo: ['one'] } });
    await started([program], { lease: 60_000 });
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect(effects).toEqual(['one', 'two', 'two']);
  });

  test('what begins while it stops is kept for others', async () => {
    const program = programOf(recorded(effects, ['one']));
    const { engine } = await started([program]);
    await engine.stop();
    const id = await begun(engine, program);
    expect(effects).toEqual([]);
    await started([program]);
    await expect.poll(() => statusOf(id)).toBe('completed');
  });

  test('an undoing continues where it was', async () => {
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const slow = doing(effects, 'undo two', () => {
      reached.resolve();
      return go.promise;
    });
    const program = programOf(
      recorded(effects, ['one', 'two', 'three'], {
        two: { action: doing(effects, 'two'), compensate: slow },
        three: { action: () => Promise.reject(new Error('no')) },
      }),
    );
    const { engine } = await started([program], { lease: 60_000 });
    const id = await begun(engine, program);
    await reached.promise;
    const stopped = engine.stop();
    go.resolve();
    await stopped;
    expect(await store.get(id)).toMatchObject({ state: { status: 'compensating', undo: ['one'] } });
    await started([program]);
    await expect.poll(() => statusOf(id)).toBe('failed');
    expect(effects).toEqual(['one', 'two', 'undo two', 'undo one']);
  });
});

test.skipIf(postgresUrl === undefined)(
  'X-09: while connections to the database break, every step runs exactly once',
  async () => {
    const own = await postgresBed();
    const proxy = new TestProxy({ host: own.database.host, port: own.database.port });
    const url = own.database.through(await proxy.listen());
    const connectors = [postgresConnector({ url }), postgresConnector({ url })];
    try {
      await Promise.all(connectors.map((connector) => connector.open(never)));
      const pause = () => new Promise<void>((resolve) => setTimeout(resolve, 100));
      const slow = Object.fromEntries(five.map((name) => [name, { action: doing(effects, name, pause) }]));
      const program = programOf(recorded(effects, five, { ...slow, three: { ...slow['three'], delay: 20 } }));
      const made: Awaited<ReturnType<typeof started>>[] = [];
      for (const connector of connectors) made.push(await started([program], { lease: 20_000 }, storeOn(connector)));
      const quiet = await own.store();
      const ids = await Promise.all(
        Array.from({ length: 30 }, (_, index) => begun((made[index % 2] as (typeof made)[number]).engine, program)),
      );
      const cutting = setInterval(() => proxy.cutAll(), 60);
      setTimeout(() => clearInterval(cutting), 2000);
      const ended = async () => (await quiet.list({ limit: 50, status: 'completed' })).workflows.length;
      await expect.poll(ended, { interval: 100 }).toBe(ids.length);
      expect(effects.toSorted()).toEqual(five.flatMap((name) => ids.map(() => name)).sort());
      const said = made.flatMap(({ lines }) => lines.map(({ message }) => message));
      expect(said).toContain('a workflow cannot be saved; trying again');
    } finally {
      await Promise.all(engines.splice(0).map((engine) => engine.stop()));
      await Promise.all(connectors.map((connector) => connector.close()));
      await proxy.close();
      await own.close();
    }
  },
);

describe('trouble', () => {
  test('what a dead process ran is taken over by another when its lease ends, from the last save', async () => {
    const dead = failing(store);
    const reached = Promise.withResolvers<void>();
    const program = (isDead: boolean) => {
      const action = doing(effects, 'two', () => {
        reached.resolve();
        return isDead ? new Promise(() => undefined) : undefined;
      });
      return programOf(recorded(effects, ['one', 'two', 'three'], { two: { action } }));
    };
    const first = engineOn(dead, [program(true)], { stopTime: 1 });
    await first.engine.start();
    const id = await begun(first.engine, program(true));
    await reached.promise;
    dead.away = true;
    await started([program(false)]);
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect(effects).toEqual(['one', 'two', 'two', 'three']);
    await first.engine.stop();
  });

  test('a store that is unavailable for a while delays an instance and repeats nothing', async () => {
    const flaky = failing(store);
    const action = doing(effects, 'one', () => {
      flaky.away = true;
      setTimeout(() => {
        flaky.away = false;
      }, 150);
    });
    const program = programOf(recorded(effects, ['one', 'two'], { one: { action } }));
    const { engine, lines } = await started([program], { lease: 5000, poll: 60_000 }, flaky);
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect(effects).toEqual(['one', 'two']);
    const messages = lines.map(({ message }) => message);
    expect(messages.filter((message) => !message.startsWith('the store'))).toEqual([
      'a workflow cannot be saved; trying again',
    ]);
  });

  test('a store that stays unavailable stops an instance unsaved, and it continues when the store is back', async () => {
    const flaky = failing(store);
    let tries = 0;
    const action = doing(effects, 'one', () => {
      flaky.away = ++tries === 1;
    });
    const program = programOf(recorded(effects, ['one', 'two'], { one: { action } }));
    const { engine, lines } = await started([program], {}, flaky);
    const id = await begun(engine, program);
    await expect
      .poll(() => lines.map(({ message }) => message))
      .toContain('a workflow stops here, as it cannot be saved; it continues from its last save');
    expect(effects).toEqual(['one']);
    flaky.away = false;
    await expect.poll(() => statusOf(id)).toBe('completed');
    expect(effects).toEqual(['one', 'one', 'two']);
    expect(lines.map(({ message }) => message)).toContain('the store of workflows does not answer');
    expect(lines.map(({ message }) => message)).toContain('the store of workflows answers again');
  });

  test('an instance that cannot be saved does not begin', async () => {
    const flaky = failing(store);
    const program = programOf(recorded(effects, ['one']));
    const { engine } = await started([program], {}, flaky);
    flaky.away = true;
    await expect(engine.begin(instanceOf(program))).rejects.toMatchObject({ code: 'store_unavailable' });
    expect(effects).toEqual([]);
  });

  test('instances of a saga that is gone are suspended, logged once and counted', async () => {
    const program = programOf({ one: { await: 'keys' } });
    const { engine } = await started([program]);
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('waiting');
    await engine.stop();
    await store.requestCancel(id, Date.now());
    const { lines, metrics } = await started([programOf({}, { name: 'other' })]);
    const line = {
      level: 'warn',
      message: 'workflows are suspended: the configuration has no such saga',
      fields: { saga: 'rent', workflows: 1 },
    };
    await expect.poll(() => lines).toEqual([line]);
    expect(metrics.text()).toContain('svc_workflow_active{saga="rent",status="waiting"} 1');
    expect(await store.get(id)).toMatchObject({ state: { status: 'waiting' }, version: 2 });
  });

  test('a saga that changed continues at the step of the same name; without it the instance is suspended', async () => {
    const before = programOf(recorded(effects, ['one', 'two', 'three'], { two: { delay: 400 } }));
    const { engine } = await started([before]);
    const [kept, gone] = [
      await begun(engine, before),
      await begun(engine, { ...before, name: 'other' }).catch(() => ''),
    ];
    expect(gone).toBe('');
    await expect.poll(() => statusOf(kept)).toBe('waiting');
    await engine.stop();
    const after = programOf(recorded(effects, ['zero', 'one', 'two', 'three'], { two: { delay: 400 } }));
    const { engine: next } = await started([after]);
    await expect.poll(() => statusOf(kept)).toBe('completed');
    expect(effects).toEqual(['one', 'two', 'three']);
    const lost = await begun(next, after);
    await expect.poll(() => statusOf(lost)).toBe('waiting');
    await next.stop();
    const { lines } = await started([programOf(recorded(effects, ['one']))]);
    await expect
      .poll(() => lines.map(({ message }) => message))
      .toEqual(['a workflow is suspended: its saga no longer has its present step']);
    expect(await statusOf(lost)).toBe('waiting');
    await store.requestCancel(lost, Date.now());
    await expect.poll(() => statusOf(lost)).toBe('compensation_failed');
    expect(effects.slice(-2)).toEqual(['one', 'undo one']);
  });

  test('R-54: an undoing that finally fails is logged, counted and kept', async () => {
    const compensate = () => Promise.reject(new Failure('connector_failed', 'gone for good', { retriable: false }));
    const program = programOf(
      recorded(effects, ['one', 'two', 'three'], {
        two: { action: doing(effects, 'two'), compensate },
        three: { action: () => Promise.reject(new Error('no')) },
      }),
    );
    const { engine, metrics } = await started([program]);
    const id = await begun(engine, program);
    await expect.poll(() => statusOf(id)).toBe('compensation_failed');
    expect(effects).toEqual(['one', 'two', 'undo one']);
    expect((await store.get(id))?.state.compensationErrors).toEqual([expect.stringContaining('gone for good')]);
    expect(metrics.text()).toContain('svc_workflow_compensation_failures_total{saga="rent"} 1');
  });
});
