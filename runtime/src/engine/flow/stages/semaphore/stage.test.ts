import { expect, test } from 'vitest';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { MemorySyncStore } from '../../../../platform/sync/memory/store.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { type Call, serve } from '../../../plan/testing/service.ts';

const flow = (semaphore: string) => `flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  semaphore {
    ${semaphore}
  }
  step "slow" {
    connector = "peer"
    operation = "GET /slow"
  }
  to {
    connector = "db"
    target    = "t"
  }
}`;

/** A flow whose step ends when the test ends it. The test advances the clock. */
async function begin(configuration: string) {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  const waiting: (() => void)[] = [];
  const answer = (call: Call): CallResult | Promise<CallResult> => {
    if (call.connector !== 'peer') return { affected: 1 };
    const { promise, resolve } = Promise.withResolvers<CallResult>();
    waiting.push(() => resolve({ value: {} }));
    return promise;
  };
  const service = await serve(configuration, { answer, clock, shared: { 'sync:memory': store } });
  return {
    ...service,
    clock,
    store,
    waiting,
    written: () => service.calls.filter(({ connector }) => connector === 'db'),
  };
}

const failed = (work: unknown): Promise<Failure> =>
  Promise.resolve(work).then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );

test('X-05: as many messages of a pool run at a time as there are permits', async () => {
  const { deliver, clock, waiting, store, metrics } = await begin(flow('key = "\'p\' + input.pool"\nmax_permits = 5'));
  const running = Array.from({ length: 12 }, () => deliver('f', { pool: '1' }));
  const other = deliver('f', { pool: '2' });
  await clock.pass(0);
  expect([waiting.length, store.permitsTaken('p1'), store.permitsTaken('p2')]).toEqual([6, 5, 1]);
  for (let ended = 0; ended < 13; ended++) {
    waiting[ended]?.();
    await clock.pass(50);
    expect(store.permitsTaken('p1')).toBeLessThanOrEqual(5);
  }
  await Promise.all([...running, other]);
  expect([store.permitsTaken('p1'), store.permitsTaken('p2'), waiting.length]).toEqual([0, 0, 13]);
  const text = metrics.text();
  expect(text).toContain('svc_semaphore_acquired_total{flow="f"} 13\n');
  expect(text).toContain('svc_semaphore_released_total{flow="f"} 13\n');
  expect(text).toContain('svc_semaphore_wait_seconds_count{flow="f"} 13\n');
  expect(text).toContain('svc_semaphore_available{flow="f"} 5\n');
});

test('a permit is waited for up to the timeout of the block', async () => {
  const { deliver, clock, store, written, metrics } = await begin(flow('key = "p"\nlimit = 1\ntimeout = "1s"'));
  store.takePermit('p', 1, 60_000);
  const refused = failed(deliver('f', {}));
  for (let passed = 0; passed < 1_000; passed += 50) await clock.pass(50);
  const { code, kind, message, retryAfter } = await refused;
  expect([code, kind.type, kind.status, retryAfter, message]).toEqual([
    'wait_timeout',
    'timeout',
    503,
    1000,
    'failed to acquire a permit of "p" within 1 s',
  ]);
  expect(written()).toEqual([]);
  expect(metrics.text()).toContain('svc_semaphore_timeout_total{flow="f"} 1\n');
});

test('the lease of a permit is extended while the flow runs', async () => {
  const { deliver, clock, waiting, store } = await begin(flow('key = "p"\nlimit = 1\nlease = "9s"'));
  const running = deliver('f', { a: 1 });
  for (let times = 0; times < 9; times++) {
    await clock.pass(3_000);
    expect(store.permitsTaken('p')).toBe(1);
  }
  waiting[0]?.();
  await running;
  expect([store.permitsTaken('p'), clock.sleeping]).toEqual([0, 0]);
});

test('a flow that lost its permit writes nothing more', async () => {
  const { deliver, clock, waiting, store, written, log } = await begin(flow('key = "p"\nlimit = 1\nlease = "9s"'));
  const running = failed(deliver('f', { a: 1 }));
  await clock.pass(0);
  await store.close();
  await clock.pass(3_000);
  waiting[0]?.();
  const { code, retriable } = await running;
  expect([code, retriable, written()]).toEqual(['permit_lost', true, []]);
  expect(log.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
    'a permit was lost while the flow ran',
  ]);
});
