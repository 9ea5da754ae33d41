import { expect, test } from 'vitest';
import { memoryLog } from '../../service/running/testing/fakes.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { parseSchedule, type Schedule } from './cron.ts';
import { Scheduler } from './scheduler.ts';
import { overlaps } from './spec.ts';
import { timetableOf } from './timetable.ts';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000];

/** Runs a schedule with a clock that a test sets; `runs` holds the elapsed seconds at which it ran. */
function scheduled(schedule: string, overlap: (typeof overlaps)[number] = 'allow', aligned = false) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const scheduler = new Scheduler(clock, log, () => undefined);
  const runs: number[] = [];
  const timetable = timetableOf(parseSchedule(schedule) as Schedule, 'UTC', aligned);
  if (timetable === undefined) throw new Error('never');
  const run = async () => {
    runs.push(clock.elapsed() / second);
    return 'succeeded' as const;
  };
  scheduler.add({ key: schedule, flow: 'clean', timetable, overlap, run });
  const pass = async (seconds: number) => {
    for (let at = 0; at < seconds; at++) await clock.pass(second);
  };
  const warnings = () => lines.filter(({ level }) => level === 'warn').map(({ message, fields }) => [message, fields]);
  return { clock, runs, pass, warnings, scheduler };
}

const wasSet = (by: string) => ['the clock was set: schedules go by the new time', { by }];
const missed = (first: string) => [
  'scheduled runs were missed while the process was suspended or the clock was set',
  { flow: 'clean', first },
];

test.each([-10 * second, -hour, -30 * minute, -3 * day, hour, 400 * day])(
  'an interval continues as if the clock had not been set by %d ms',
  async (by) => {
    const { clock, runs, pass } = scheduled('@every 10s');
    await pass(15);
    clock.set(by);
    await pass(25);
    expect(runs).toEqual([10, 20, 30, 40]);
  },
);

test.each([
  ['* * * * *', false],
  ['@every 1m', true],
])('a clock that is set back does not stop %s, and is logged', async (schedule, aligned) => {
  for (const [by, shown] of [
    [-30 * minute, '-1800s'],
    [-2 * hour, '-7200s'],
    [-400 * day, '-34560000s'],
  ] as const) {
    const { clock, runs, pass, warnings, scheduler } = scheduled(schedule, 'allow', aligned);
    await pass(90);
    clock.set(by);
    await pass(150);
    expect(runs).toEqual([60, 120, 180, 240]);
    expect(warnings()).toEqual([wasSet(shown)]);
    await scheduler.close();
  }
});

test('a clock that is set back a little does not run a tick twice', async () => {
  const { clock, runs, pass, warnings } = scheduled('* * * * *');
  await pass(65);
  clock.set(-30 * second);
  await pass(100);
  expect(runs).toEqual([60, 150]);
  expect(warnings()).toEqual([wasSet('-30s')]);
});

test.each(overlaps)('R-96: a clock that is set forward starts one run, with overlap %s', async (overlap) => {
  for (const by of [5 * minute, hour, 400 * day]) {
    const { clock, runs, pass, warnings, scheduler } = scheduled('* * * * * *', overlap);
    await pass(3);
    clock.set(by);
    await pass(3);
    expect(runs).toEqual([1, 2, 3, 4, 5, 6]);
    expect(warnings()[0]).toEqual(wasSet(`+${by / second}s`));
    expect(warnings()[1]).toEqual(missed('2026-01-01T00:00:04.000Z'));
    await scheduler.close();
  }
});

test('R-96: a process that was suspended for less than a minute runs what it missed once', async () => {
  const { clock, runs, pass, warnings } = scheduled('* * * * * *');
  await pass(2);
  await clock.pass(40 * second);
  await pass(1);
  expect(runs).toEqual([1, 2, 42, 43]);
  expect(warnings()).toEqual([missed('2026-01-01T00:00:03.000Z')]);
});
