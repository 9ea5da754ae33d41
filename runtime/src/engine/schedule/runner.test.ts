import { describe, expect, test } from 'vitest';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import type { Claims } from './claims.ts';
import { parseSchedule, type Schedule } from './cron.ts';
import { ScheduleRunner } from './runner.ts';
import { type Timetable, timetableOf } from './timetable.ts';

const reply: Outcome = { kind: 'reply', value: null };
const timetable = timetableOf(parseSchedule('@every 10m') as Schedule, undefined, false) as Timetable;

/** One scheduled flow, and the outcomes of its runs. */
async function running(run: (message: Message) => Outcome | Promise<Outcome>, claim?: Claims['claim']) {
  const clock = new ManualClock();
  const { families } = new Metrics();
  const degraded: (string | undefined)[] = [];
  const errors: string[] = [];
  const quiet = () => undefined;
  const log = {
    ...{ enabled: () => true, debug: quiet, info: quiet, warn: quiet },
    error: (message: string) => void errors.push(message),
    with: () => log,
  };
  const degrade = (_part: string, message: string | undefined) => void degraded.push(message);
  const claims = claim && { name: 'db', prepare: async () => undefined, claim };
  const flow = { flow: 'clean', schedule: '@every 10m', timetable, overlap: 'skip', claims, run } as const;
  const runner = new ScheduleRunner([flow], planServices({ clock, log, families, degrade }));
  await runner.start();
  const counted = () => [
    families.scheduleExecuted.of('clean', 'success').value,
    families.scheduleExecuted.of('clean', 'error').value,
  ];
  return { clock, runner, families, degraded, errors, counted };
}

const tenMinutes = 600_000;

describe('a run', () => {
  test('R-34: has an empty input and no waiting caller, and is counted', async () => {
    const messages: Message[] = [];
    const { clock, counted, families, runner } = await running((message) => {
      messages.push(message);
      return reply;
    });
    expect(families.scheduledFlows.of().value).toBe(1);
    await clock.pass(tenMinutes);
    await clock.pass(tenMinutes);
    expect(counted()).toEqual([2, 0]);
    expect(messages[0]).toMatchObject({ input: {}, addressed: [], auth: { authenticated: false } });
    expect(messages[0]?.cancelled?.()).toBe(false);
    await runner.stop();
    expect(families.scheduledFlows.of().value).toBe(0);
  });

  test('that answers that it failed is counted as failed', async () => {
    const { clock, counted } = await running(() => ({ kind: 'failed', status: 409, value: null }));
    await clock.pass(tenMinutes);
    expect(counted()).toEqual([0, 1]);
  });

  test('that fails is counted, and the next one comes', async () => {
    const { clock, counted } = await running(() => {
      throw new Failure('connector_failed', 'no');
    });
    await clock.pass(tenMinutes);
    await clock.pass(tenMinutes);
    expect(counted()).toEqual([0, 2]);
  });

  test('has five minutes, not counting the time for which it is paused', async () => {
    const signals: AbortSignal[] = [];
    let release = () => {};
    const { clock, counted, errors } = await running((message) => {
      signals.push(message.signal() as AbortSignal);
      release = message.hold?.() ?? release;
      return new Promise(() => {});
    });
    await clock.pass(tenMinutes);
    await clock.pass(400_000);
    expect(signals[0]?.aborted).toBe(false);
    release();
    await clock.pass(299_999);
    expect([signals[0]?.aborted, counted()]).toEqual([false, [0, 0]]);
    await clock.pass(1);
    expect([signals[0]?.reason.code, counted(), errors]).toEqual([
      'run_timeout',
      [0, 1],
      ['scheduled run stopped: it took too long'],
    ]);
  });

  test('is waited for when the service stops, and no other begins', async () => {
    let end = () => {};
    const { clock, runner, counted } = await running(
      () =>
        new Promise((resolve) => {
          end = () => resolve(reply);
        }),
    );
    await clock.pass(tenMinutes);
    let stopped = false;
    const stopping = runner.stop().then(() => {
      stopped = true;
    });
    await clock.pass(60_000);
    expect(stopped).toBe(false);
    end();
    await stopping;
    expect(counted()).toEqual([1, 0]);
  });
});

describe('a claim', () => {
  test('that another process holds leaves the tick to that process', async () => {
    let runs = 0;
    const answers = [false, true];
    const { clock, counted } = await running(
      () => {
        runs++;
        return reply;
      },
      async () => answers.shift() === true,
    );
    await clock.pass(tenMinutes);
    await clock.pass(tenMinutes);
    expect([runs, counted()]).toEqual([1, [1, 0]]);
  });

  test('R-96: that cannot be made keeps the tick from running; health says so until one is made', async () => {
    let runs = 0;
    const answers: (() => Promise<boolean>)[] = [
      () => Promise.reject(new Failure('store_unavailable', 'away')),
      () => new Promise(() => {}),
      async () => true,
    ];
    const { clock, counted, degraded, errors } = await running(
      () => {
        runs++;
        return reply;
      },
      () => (answers.shift() as () => Promise<boolean>)(),
    );
    await clock.pass(tenMinutes);
    expect([runs, counted(), degraded]).toEqual([0, [0, 1], ['ticks cannot be claimed in "db", and flows do not run']]);
    await clock.pass(tenMinutes);
    await clock.pass(10_000);
    expect([runs, counted(), errors.length]).toEqual([0, [0, 2], 2]);
    await clock.pass(tenMinutes);
    expect([runs, counted(), degraded.length, degraded.at(-1)]).toEqual([1, [1, 2], 2, undefined]);
  });
});

describe('people look at it', () => {
  const entry = {
    ...{ flow: 'clean', expression: '@every 10m', timezone: null, overlap: 'skip' },
    ...{ running: 0, waiting: 0, last: null },
  };

  test('and see the next runs and the last one; one is run now by the same way as by the clock', async () => {
    const claimed: number[] = [];
    let answer = true;
    const { clock, runner, counted } = await running(
      () => reply,
      async (_, tick) => {
        claimed.push(tick);
        return answer;
      },
    );
    const began = clock.now();
    const iso = (...minutes: number[]) => minutes.map((at) => new Date(began + at * 60_000).toISOString());
    expect(runner.list()).toEqual([{ ...entry, storage: 'db', next: iso(10, 20, 30, 40, 50) }]);
    expect([runner.run('clean'), runner.run('other')]).toEqual(['begun', { refused: 'no schedule runs flow "other"' }]);
    await clock.pass(0);
    expect([claimed, counted()]).toEqual([[began], [1, 0]]);
    const last = { at: new Date(began).toISOString(), outcome: 'succeeded', durationMs: 0 };
    expect(runner.list()).toMatchObject([{ last }]);
    answer = false;
    await clock.pass(tenMinutes);
    const elsewhere = { at: iso(10)[0], outcome: 'elsewhere', durationMs: null };
    expect([runner.list(), counted()]).toMatchObject([[{ last: elsewhere, next: iso(20, 30, 40, 50, 60) }], [1, 0]]);
    await runner.stop();
    expect(runner.run('clean')).toEqual({ refused: 'the schedules of the service have not begun, or have ended' });
    expect(runner.list()).toEqual([{ ...entry, storage: 'db', next: [] }]);
  });

  test('and are refused a run beside the one before', async () => {
    const { clock, runner } = await running(() => new Promise(() => undefined));
    expect(runner.run('clean')).toBe('begun');
    expect(runner.run('clean')).toEqual({
      refused: 'flow "clean" runs already, and overlap = "skip" leaves another run out',
    });
    expect(runner.list()).toMatchObject([{ running: 1, last: { outcome: 'skipped', durationMs: null } }]);
    await clock.pass(0);
  });
});
