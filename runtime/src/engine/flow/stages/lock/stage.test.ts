import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { FlowProbe } from '../../../../foundation/contracts/probe.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { MemorySyncStore } from '../../../../platform/sync/memory/store.ts';
import type { SyncStore } from '../../../../platform/sync/store.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Call, serve, type TestOptions } from '../../../plan/testing/service.ts';

const flow = (lock: string, rest = '', operation = 'POST /x') => `flow "f" {
  from {
    connector = "api"
    operation = "${operation}"
  }
  lock {
    ${lock}
  }
  ${rest}
  to {
    connector = "db"
    target    = "t"
  }
}`;
const slow = 'step "slow" {\n connector = "peer"\n operation = "GET /slow"\n}\n';

/** A flow whose step "slow" ends when the test ends it. The test advances the clock. */
async function begin(configuration: string, options: TestOptions = {}) {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  const waiting: { readonly id: unknown; readonly go: () => void; readonly fail: (error: unknown) => void }[] = [];
  const answer = (call: Call): CallResult | Promise<CallResult> => {
    if (call.connector !== 'peer') return { affected: 1 };
    return new Promise((resolve, reject) => {
      waiting.push({ id: waiting.length, go: () => resolve({ value: {} }), fail: reject });
    });
  };
  const service = await serve(configuration, { answer, clock, shared: { 'sync:memory': store }, ...options });
  return {
    ...service,
    clock,
    store,
    waiting,
    written: () => service.calls.filter(({ connector }) => connector === 'db'),
  };
}

async function failure(work: unknown): Promise<Failure> {
  return Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

/** Whether the store has nothing left under the key. */
const isFree = (store: SyncStore, key: string) => store.acquire(key, 1000) !== undefined;

describe('a lock', () => {
  test('runs one message of a key at a time', async () => {
    const { deliver, clock, waiting, written, store } = await begin(flow('key = "\'order:\' + input.id"', slow));
    const first = deliver('f', { id: 'a' });
    const second = deliver('f', { id: 'a' });
    await clock.pass(0);
    expect(waiting).toHaveLength(1);
    waiting[0]?.go();
    await first;
    await clock.pass(100);
    expect(waiting).toHaveLength(2);
    waiting[1]?.go();
    await second;
    expect([written().length, isFree(store, 'order:a')]).toEqual([2, true]);
  });

  test('R-16: two different keys run concurrently', async () => {
    const { deliver, clock, waiting } = await begin(flow('key = "\'order:\' + input.id"', slow));
    const both = [deliver('f', { id: 'a' }), deliver('f', { id: 'b' })];
    await clock.pass(0);
    expect(waiting).toHaveLength(2);
    for (const { go } of waiting) go();
    await Promise.all(both);
  });

  test('R-16: a key that cannot be determined fails the message permanently, without a substitute', async () => {
    for (const key of ["'order:' + input.missing", 'input.missing', 'input.empty', 'input.list', 'input.none', "''"]) {
      const { deliver, written, store } = await begin(flow(`key = "${key}"`));
      const failed = await failure((async () => deliver('f', { empty: '', list: [1], none: null }))());
      expect([failed.code, failed.retriable, failed.kind.status, written()]).toEqual([
        'expression_failed',
        false,
        500,
        [],
      ]);
      expect(isFree(store, key)).toBe(true);
    }
  });

  test.each([
    ['"orders"', 'orders'],
    ['"orders.eu"', 'orders.eu'],
    ['"\'pool_a\'"', 'pool_a'],
    ['"\'a\' + string(1 + 1)"', 'a2'],
    ['"input.id"', '7'],
    ['"string(input.id)"', '7'],
    ['"auth.user_id"', 'u'],
    ['input.id', '7'],
    ['5', '5'],
    ['"\'${constants.pool}:\' + string(input.id)"', 'p:7'],
    ['"${constants.pool}.x"', 'p.x'],
    ['constants.pool', 'p'],
  ])('with key = %s is called %s', async (written, key) => {
    const { deliver, clock, waiting, store } = await begin(
      `constants { pool = "p" }\n${flow(`key = ${written}`, slow)}`,
    );
    const auth = { authenticated: true, user_id: 'u', email: '', roles: [], claims: {} };
    const running = deliver('f', { id: 7n }, { auth });
    await clock.pass(0);
    expect(isFree(store, key)).toBe(false);
    waiting[0]?.go();
    await running;
    expect(isFree(store, key)).toBe(true);
  });

  test('answers synchronously when the lock is free and nothing after it waits', async () => {
    const { deliver, store, metrics } = await begin(flow('key = "a"'));
    expect(deliver('f', { id: 1 })).toMatchObject({ kind: 'reply' });
    expect(isFree(store, 'a')).toBe(true);
    expect(metrics.text()).toContain('svc_lock_acquired_total{flow="f",purpose="flow"} 1\n');
    expect(metrics.text()).toContain('svc_lock_released_total{flow="f",purpose="flow"} 1\n');
    expect(metrics.text()).toContain('svc_lock_held{flow="f",purpose="flow"} 0\n');
    expect(metrics.text()).toContain('svc_lock_wait_seconds_count{flow="f",purpose="flow"} 1\n');
  });

  test('that is held is waited for up to its timeout', async () => {
    const { deliver, clock, store, metrics } = await begin(flow('key = "a"\ntimeout = "2s"\nretry = "700ms"'));
    store.acquire('a', 60_000);
    const refused = failure(deliver('f', { id: 1 }));
    for (let times = 0; times < 4; times++) await clock.pass(700);
    const { code, message, retriable, kind, retryAfter } = await refused;
    expect([code, message, retriable, kind.type, kind.status, retryAfter]).toEqual([
      'wait_timeout',
      'failed to acquire lock "a" within 2 s',
      true,
      'timeout',
      503,
      1000,
    ]);
    expect(metrics.text()).toContain('svc_lock_timeout_total{flow="f",purpose="flow"} 1\n');
  });

  test('is not waited for with wait = false', async () => {
    const { deliver, store, written } = await begin(flow('key = "a"\nwait = false'));
    store.acquire('a', 60_000);
    const { code, kind } = await failure(deliver('f', { id: 1 }));
    expect([code, kind.status, written()]).toEqual(['lock_taken', 503, []]);
  });

  test.each([
    ['is cancelled', 'signal'],
    ['must not wait longer, since it will be redelivered', 'waitSignal'],
  ])('is waited for no longer when the message %s', async (_title, word) => {
    const { deliver, clock, store } = await begin(flow('key = "a"'));
    const grant = store.acquire('a', 60_000);
    const stop = new AbortController();
    const cancelled = failure(deliver('f', { id: 1 }, { [word]: () => stop.signal }));
    await clock.pass(50);
    stop.abort();
    expect((await cancelled).code).toBe('cancelled');
    expect(clock.sleeping).toBe(0);
    store.release('a', grant?.owner ?? '');
  });

  test('does not end a flow that holds it when its message must not wait longer', async () => {
    const { deliver, written } = await begin(flow('key = "a"'));
    const waitSignal = () => AbortSignal.abort(new Failure('cancelled', 'the service takes no more'));
    await deliver('f', { id: 1 }, { waitSignal });
    expect(written()).toHaveLength(1);
  });

  test('is released when the flow fails, synchronously or later', async () => {
    const { deliver, clock, waiting, store } = await begin(flow('key = "a"', slow));
    const running = failure(deliver('f', { id: 1 }));
    await clock.pass(0);
    waiting[0]?.fail(new Failure('upstream_error', 'no'));
    expect((await running).code).toBe('upstream_error');
    expect(isFree(store, 'a')).toBe(true);
    const sync = await begin(flow('key = "a"', 'transform { a = "input.missing" }'));
    expect(() => sync.deliver('f', {})).toThrow('no such key');
    expect([isFree(sync.store, 'a'), sync.clock.sleeping]).toEqual([true, 0]);
  });

  test('is taken again by each attempt', async () => {
    const retrying = 'error_handling {\n retry {\n attempts = 2\n delay = "1s"\n }\n}';
    const { deliver, clock, waiting, store, metrics } = await begin(flow('key = "a"', slow + retrying));
    const running = deliver('f', { id: 1 });
    await clock.pass(0);
    waiting[0]?.fail(new Failure('upstream_error', 'no'));
    await clock.pass(0);
    expect(store.acquire('a', 500)).toBeDefined();
    await clock.pass(1_000);
    waiting[1]?.go();
    expect(await running).toMatchObject({ kind: 'reply' });
    expect(metrics.text()).toContain('svc_lock_acquired_total{flow="f",purpose="flow"} 2\n');
  });

  test('shows its token, which grows', async () => {
    const { deliver, written } = await begin(flow('key = "a"', 'transform { fence = "lock.token" }'));
    for (let times = 0; times < 3; times++) deliver('f', { id: 1 });
    const tokens = written().map(({ payload }) => payload?.['fence'] as bigint);
    expect(tokens.every((token) => typeof token === 'bigint')).toBe(true);
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
  });
});

describe('a flow that takes longer than the lifetime of its lock', () => {
  test('R-14: keeps the lock by extending it', async () => {
    const { deliver, clock, waiting, written, store } = await begin(flow('key = "a"\ntimeout = "9s"', slow));
    const running = deliver('f', { id: 1 });
    for (let times = 0; times < 9; times++) {
      await clock.pass(3_000);
      expect(isFree(store, 'a')).toBe(false);
    }
    waiting[0]?.go();
    await running;
    expect([written().length, clock.sleeping, isFree(store, 'a')]).toEqual([1, 0, true]);
  });

  test('keeps the lock while a debugger pauses it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const probe: FlowProbe = {
      attached: true,
      begin: () => 'thread',
      enter: (_thread, { stage }) => (stage === 'write' ? promise : undefined),
      leave: () => undefined,
      end: () => undefined,
    };
    const { deliver, clock, written, store } = await begin(flow('key = "a"\ntimeout = "9s"'), { probe });
    const running = deliver('f', { id: 1 });
    for (let times = 0; times < 9; times++) await clock.pass(3_000);
    expect([isFree(store, 'a'), written()]).toEqual([false, []]);
    resolve();
    expect(await running).toMatchObject({ kind: 'reply' });
  });

  const lost = ['lock_lost', true, 'the lock was lost while the flow ran, so nothing more is written'];
  const summary = ({ code, retriable, message }: Failure) => [code, retriable, message];

  test('R-50: writes nothing once the lock was lost, and does not release that of the next owner', async () => {
    const { deliver, clock, waiting, written, store, log, metrics } = await begin(
      flow('key = "a"\ntimeout = "9s"', slow),
    );
    const running = failure(deliver('f', { id: 1 }));
    await clock.pass(0);
    await store.close();
    expect(isFree(store, 'a')).toBe(true);
    await clock.pass(3_000);
    waiting[0]?.go();
    expect(summary(await running)).toEqual(lost);
    expect([written(), clock.sleeping]).toEqual([[], 0]);
    expect(log.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'a lock was lost while the flow ran',
        fields: { flow: 'f', key: 'a', reason: 'another owner may have it' },
      },
    ]);
    expect(metrics.text()).toContain('svc_lock_lost_total{flow="f",purpose="flow"} 1\n');
    expect(metrics.text()).toContain('svc_lock_released_total{flow="f",purpose="flow"} 0\n');
  });

  test('R-50: writes nothing when its process was suspended for too long, before it is notified', async () => {
    const { deliver, clock, waiting, written, log } = await begin(flow('key = "a"\ntimeout = "9s"', slow));
    const running = failure(deliver('f', { id: 1 }));
    await clock.pass(0);
    waiting[0]?.go();
    // The answer of the step is handled before any timer is.
    const passing = clock.pass(9_000);
    expect(summary(await running)).toEqual(lost);
    await passing;
    expect(written()).toEqual([]);
    expect(log.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  test('is retried when it may be', async () => {
    const retrying = 'error_handling {\n retry {\n attempts = 2\n delay = "1s"\n }\n}';
    const { deliver, clock, waiting, written } = await begin(flow('key = "a"\ntimeout = "9s"', slow + retrying));
    const running = deliver('f', { id: 1 });
    await clock.pass(0);
    waiting[0]?.go();
    const passing = clock.pass(9_000);
    await passing;
    await clock.pass(1_000);
    waiting[1]?.go();
    expect(await running).toMatchObject({ kind: 'reply' });
    expect(written()).toHaveLength(1);
  });

  test.each([
    [
      'a writing step',
      'step "w" {\n connector = "db"\n operation = "INSERT"\n target = "w"\n params = { a = 1 }\n on_error = "skip"\n}',
    ],
    ['a call', 'step "w" {\n connector = "peer"\n operation = "POST /w"\n on_error = "skip"\n}'],
  ])('begins not even %s whose failures are skipped', async (_what, second) => {
    const { deliver, clock, waiting, calls } = await begin(flow('key = "a"\ntimeout = "9s"', slow + second));
    const running = failure(deliver('f', { id: 1 }));
    await clock.pass(0);
    waiting[0]?.go();
    await clock.pass(9_000);
    expect(summary(await running)).toEqual(lost);
    expect(calls).toHaveLength(1);
  });

  test('writes to none of several destinations, required or not', async () => {
    const { deliver, clock, waiting, written } = await begin(
      flow('key = "a"\ntimeout = "9s"', `${slow}\nto {\n connector = "db"\n target = "other"\n}`),
    );
    const running = failure(deliver('f', { id: 1 }));
    await clock.pass(0);
    waiting[0]?.go();
    await clock.pass(9_000);
    expect(summary(await running)).toEqual(lost);
    expect(written()).toEqual([]);
  });

  test('rolls back a transaction that the loss comes between', async () => {
    const configuration = `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  lock {
    key     = "a"
    timeout = "9s"
  }
  to {
    connector = "db"
    transaction {
      exec { query = "INSERT INTO a VALUES (1)" }
      exec { query = "INSERT INTO b VALUES (1)" }
    }
  }
}`;
    for (const late of [1, 2]) {
      const { promise, resolve } = Promise.withResolvers<CallResult>();
      let count = 0;
      const answer = () => (++count === late ? promise : { affected: 1 });
      const { deliver, clock, statements } = await begin(configuration, { answer });
      const running = failure(deliver('f', { id: 1 }));
      await clock.pass(0);
      resolve({ affected: 1 });
      await clock.pass(9_000);
      expect(summary(await running)).toEqual(lost);
      expect([statements.filter((each) => Array.isArray(each)).length, statements.at(-1)]).toEqual([late, 'rollback']);
    }
  });
});

describe('an unavailable store', () => {
  const away = () => Promise.reject(new Failure('store_unavailable', 'the store cannot be reached: gone'));

  test('fails the message, which can be retried', async () => {
    const store = Object.assign(new MemorySyncStore(new ManualClock()), { acquire: away });
    const { deliver, written } = await begin(flow('key = "a"'), { shared: { 'sync:memory': store } });
    const { code, kind, retriable, at } = await failure(deliver('f', { id: 1 }));
    expect([code, kind.status, retriable, at]).toEqual(['store_unavailable', 503, true, { flow: 'f', stage: 'lock' }]);
    expect(written()).toEqual([]);
  });

  test('is tolerated for the lifetime of the lock, and no longer', async () => {
    for (const [gone, ends] of [
      [6_000, 'reply'],
      [9_500, 'lock_lost'],
    ] as const) {
      const { deliver, clock, waiting, store } = await begin(flow('key = "a"\ntimeout = "9s"', slow));
      const running = Promise.resolve(deliver('f', { id: 1 })).then(
        ({ kind }) => kind,
        ({ code }: Failure) => code,
      );
      await clock.pass(0);
      const extend = store.extend.bind(store);
      Object.assign(store, { extend: away });
      for (let passed = 0; passed < gone; passed += 500) await clock.pass(500);
      Object.assign(store, { extend });
      await clock.pass(500);
      waiting[0]?.go();
      expect(await running).toBe(ends);
    }
  });

  test('when the lock is released is only logged: the lock expires by itself', async () => {
    const { deliver, store, log, written } = await begin(flow('key = "a"'));
    Object.assign(store, { release: away });
    expect(await deliver('f', { id: 1 })).toMatchObject({ kind: 'reply' });
    expect(written()).toHaveLength(1);
    expect(log).toEqual([
      {
        level: 'warn',
        message: 'a lock could not be released and expires by itself',
        fields: {
          flow: 'f',
          key: 'a',
          within: '30000ms',
          code: 'store_unavailable',
          error: 'the store cannot be reached: gone',
        },
      },
    ]);
  });
});
