import { describe, expect, test } from 'vitest';
import type { Log } from '../../foundation/observe/log.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { parseSchedule, type Schedule } from './cron.ts';
import { type Job, Scheduler } from './scheduler.ts';
import { timetableOf } from './timetable.ts';

const second = 1000;

/** A scheduler, its log, and the number of schedules that it has reported last. */
function scheduling() {
  const clock = new ManualClock();
  const said: string[] = [];
  const say = (message: string) => void said.push(message);
  const log: Log = { enabled: () => true, debug: say, info: say, warn: say, error: say, with: () => log };
  let count = 0;
  const scheduler = new Scheduler(clock, log, (schedules) => {
    count = schedules;
  });
  return { clock, said, scheduler, count: () => count };
}

/** A job that records its ticks as seconds since the start, and whose runs end when the test ends them. */
function job(clock: ManualClock, over: Partial<Job> & { readonly schedule?: string; readonly holds?: boolean } = {}) {
  const { schedule = '*/10 * * * * *', holds = false, ...rest } = over;
  const began = clock.now();
  const ticks: number[] = [];
  const ends: (() => void)[] = [];
  const timetable = timetableOf(parseSchedule(schedule) as Schedule, 'UTC', false);
  if (timetable === undefined) throw new Error('never');
  const made: Job = {
    key: schedule,
    flow: 'clean',
    timetable,
    overlap: 'skip',
    run: (tick) => {
      ticks.push((tick - began) / second);
      return holds ? new Promise((resolve) => ends.push(() => resolve('succeeded'))) : Promise.resolve('succeeded');
    },
    ...rest,
  };
  return { job: made, ticks, ends };
}

async function seconds(clock: ManualClock, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await clock.pass(second);
}

describe('ticks', () => {
  test('occur at their times from one timer, until the job is removed', async () => {
    const { clock, scheduler, count } = scheduling();
    const often = job(clock);
    const seldom = job(clock, { schedule: '@every 25s' });
    scheduler.add(often.job);
    const remove = scheduler.add(seldom.job);
    await seconds(clock, 26);
    expect([often.ticks, seldom.ticks, clock.sleeping, count()]).toEqual([[10, 20], [25], 1, 2]);
    remove();
    remove();
    await seconds(clock, 30);
    expect([often.ticks, seldom.ticks, count()]).toEqual([[10, 20, 30, 40, 50], [25], 1]);
    await scheduler.close();
    await seconds(clock, 30);
    expect([often.ticks.length, clock.sleeping]).toEqual([5, 0]);
  });

  test('R-96: what was missed while the process was suspended is not run later, and is logged', async () => {
    const { clock, said, scheduler } = scheduling();
    const hourly = job(clock, { schedule: '@hourly' });
    scheduler.add(hourly.job);
    await clock.pass(3 * 3600 * second + 1800 * second);
    await seconds(clock, 1);
    expect(hourly.ticks).toEqual([]);
    expect(said).toEqual([
      'flow is scheduled',
      'scheduled runs were missed while the process was suspended or the clock was set',
    ]);
    await clock.pass(1800 * second);
    expect(hourly.ticks).toEqual([4 * 3600]);
  });

  test('a tick that is a little late runs', async () => {
    const { clock, scheduler } = scheduling();
    const { job: one, ticks } = job(clock);
    scheduler.add(one);
    await clock.pass(13 * second);
    await seconds(clock, 7);
    expect(ticks).toEqual([10, 20]);
  });
});

describe('a tick while the run before has not ended', () => {
  test('skip leaves it out', async () => {
    const { clock, said, scheduler } = scheduling();
    const { job: one, ticks, ends } = job(clock, { holds: true });
    scheduler.add(one);
    await seconds(clock, 35);
    expect(ticks).toEqual([10]);
    expect(said.slice(1)).toEqual(Array(2).fill('scheduled run left out: the one before has not ended'));
    ends[0]?.();
    await seconds(clock, 5);
    expect(ticks).toEqual([10, 40]);
  });

  test('queue runs it afterwards, a hundred at most', async () => {
    const { clock, said, scheduler } = scheduling();
    const { job: one, ticks, ends } = job(clock, { holds: true, overlap: 'queue', schedule: '* * * * * *' });
    scheduler.add(one);
    await seconds(clock, 104);
    expect(said.slice(1)).toEqual(Array(3).fill('scheduled run left out: too many wait for the one before'));
    for (let at = 0; at < 3; at++) {
      ends[at]?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(ticks).toEqual([1, 2, 3, 4]);
  });

  test('allow runs it beside', async () => {
    const { clock, scheduler } = scheduling();
    const { job: one, ticks } = job(clock, { holds: true, overlap: 'allow' });
    scheduler.add(one);
    await seconds(clock, 35);
    expect(ticks).toEqual([10, 20, 30]);
  });
});

describe('a run that is asked for', () => {
  test('begins at once, and keeps to what the schedule says of runs that overlap', async () => {
    const { clock, scheduler, said } = scheduling();
    const made = (['skip', 'queue', 'allow'] as const).map((overlap) =>
      job(clock, { holds: true, overlap, key: overlap }),
    );
    for (const each of made) scheduler.add(each.job);
    const asked = () => ['skip', 'queue', 'allow', 'unknown'].map((key) => scheduler.runNow(key));
    expect(asked()).toEqual(['begun', 'begun', 'begun', undefined]);
    expect(asked()).toEqual(['skipped', 'queued', 'begun', undefined]);
    expect(made.map(({ ticks }) => ticks.length)).toEqual([1, 1, 2]);
    expect(said).toContain('scheduled run left out: the one before has not ended');
    made[1]?.ends[0]?.();
    await clock.pass(0);
    expect(made[1]?.ticks).toHaveLength(2);
  });

  test('has a tick that no other one has, so that each can be claimed; a hundred may run at a time', async () => {
    const { clock, scheduler } = scheduling();
    const { job: one, ticks } = job(clock, { holds: true, overlap: 'allow' });
    scheduler.add(one);
    const answers = Array.from({ length: 101 }, () => scheduler.runNow(one.key));
    expect([answers.filter((answer) => answer === 'begun').length, answers.at(-1)]).toEqual([100, 'skipped']);
    expect(new Set(ticks).size).toBe(100);
  });

  test('and the others are shown: the next ticks, what runs and waits, and how the last one ended', async () => {
    const { clock, scheduler } = scheduling();
    const began = clock.now();
    const { job: one, ends } = job(clock, { holds: true, overlap: 'queue', schedule: '@every 20s' });
    scheduler.add(one);
    expect(scheduler.state('unknown', 5)).toBeUndefined();
    const next = (from: number) => [from, from + 20, from + 40].map((at) => began + at * second);
    expect(scheduler.state(one.key, 3)).toEqual({ next: next(20), running: 0, waiting: 0, last: undefined });
    await seconds(clock, 41);
    expect(scheduler.state(one.key, 3)).toEqual({ next: next(60), running: 1, waiting: 1, last: undefined });
    ends[0]?.();
    await clock.pass(0);
    expect(scheduler.state(one.key, 3)).toEqual({
      ...{ next: next(60), running: 1, waiting: 0 },
      last: { at: began + 20 * second, outcome: 'succeeded', duration: 21 * second },
    });
  });
});

describe('a reload', () => {
  test('neither doubles nor loses a tick, and continues to count an interval', async () => {
    const { clock, scheduler } = scheduling();
    const before = job(clock, { schedule: '@every 10s' });
    const after = job(clock, { schedule: '@every 10s' });
    const remove = scheduler.add(before.job);
    await seconds(clock, 15);
    scheduler.add(after.job);
    await seconds(clock, 10);
    remove();
    await seconds(clock, 10);
    expect([before.ticks, after.ticks]).toEqual([[10], [20, 30]]);
  });

  test('that fails leaves ticks to the previous generation', async () => {
    const { clock, scheduler } = scheduling();
    const [before, failed] = [job(clock), job(clock)];
    scheduler.add(before.job);
    scheduler.add(failed.job)();
    await seconds(clock, 20);
    expect([before.ticks, failed.ticks]).toEqual([[10, 20], []]);
  });

  test('sees runs that the previous generation has not ended, and runs those that wait', async () => {
    const { clock, scheduler } = scheduling();
    const before = job(clock, { holds: true, overlap: 'queue' });
    const after = job(clock, { overlap: 'queue' });
    const remove = scheduler.add(before.job);
    await seconds(clock, 20);
    scheduler.add(after.job);
    remove();
    await seconds(clock, 10);
    expect([before.ticks, after.ticks]).toEqual([[10], []]);
    before.ends[0]?.();
    await clock.pass(0);
    expect(after.ticks).toEqual([20, 30]);
  });

  test('with another schedule begins at its next time; what waited for the old one is discarded', async () => {
    const { clock, said, scheduler } = scheduling();
    const before = job(clock, { holds: true, overlap: 'queue' });
    const after = job(clock, { schedule: '*/7 * * * * *' });
    const remove = scheduler.add(before.job);
    await seconds(clock, 25);
    scheduler.add(after.job);
    remove();
    await seconds(clock, 10);
    expect([before.ticks, after.ticks]).toEqual([[10], [28, 35]]);
    expect(said).toContain('scheduled runs that waited for the one before were discarded');
  });
});
