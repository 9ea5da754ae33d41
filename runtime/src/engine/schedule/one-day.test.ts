import { expect, test } from 'vitest';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { Metrics } from '../../foundation/observe/metrics.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';
import { SimulatedClock } from '../../service/running/testing/simulated-clock.ts';
import { planServices } from '../plan/testing/plan-services.ts';
import { cacheClaims } from './claims.ts';
import { parseSchedule, type Schedule } from './cron.ts';
import { type ScheduledFlow, ScheduleRunner } from './runner.ts';
import { overlaps } from './spec.ts';
import { type Timetable, timetableOf } from './timetable.ts';

const reply: Outcome = { kind: 'reply', value: null };
const [second, minute, hour] = [1000, 60_000, 3_600_000];
/** The day begins a moment after midnight, as processes do; no schedule has a tick at its end. */
const [day, beginning] = [24 * hour, 17.123456];

interface Written {
  readonly schedule: string;
  /** Runs that the day has ticks for, in UTC. */
  readonly ticks: number;
  /** Milliseconds between two ticks. */
  readonly every: number;
}

function every(seconds: number): Written {
  const interval = seconds * second;
  return { schedule: `@every ${seconds}s`, ticks: Math.floor((day - 1) / interval), every: interval };
}

/** Schedules that make most of the ticks: the first has one flow, the others have two. */
const frequent: readonly Written[] = [
  every(2),
  every(7),
  every(10),
  every(13),
  { schedule: '*/5 * * * * *', ticks: 17_279, every: 5 * second },
];
const seldom: readonly Written[] = [
  ...[30, 45, 60, 90, 300, 420, 3600, 5400, 36_000].map(every),
  { schedule: '* * * * *', ticks: 1439, every: minute },
  { schedule: '*/15 * * * *', ticks: 95, every: 15 * minute },
  { schedule: '30 * * * *', ticks: 24, every: hour },
  { schedule: '0 */6 * * *', ticks: 3, every: 6 * hour },
  { schedule: '30 2 * * *', ticks: 1, every: day },
  { schedule: '0 9 * * MON-FRI', ticks: 1, every: day },
  { schedule: '0 0 1 1 *', ticks: 0, every: day },
];

interface Planned extends Written {
  readonly flow: string;
  readonly overlap: (typeof overlaps)[number];
  readonly isShared: boolean;
  /** How long a run takes, in milliseconds. */
  readonly takes: number;
}

/** Each schedule with each kind of overlap, alone and shared, with runs that are short or too long. */
function planned(written: Written, at: number): Planned {
  const overlap = overlaps[at % overlaps.length] as Planned['overlap'];
  const isShared = at % 2 === 0;
  const isLong = !isShared && at % 5 === 1 && written.every <= minute;
  const takes = isLong ? 2.5 * written.every : Math.min(written.every / 4, second);
  return { ...written, flow: `${written.schedule} ${at}`, overlap, isShared, takes };
}

const flows = Array.from({ length: 200 }, (_, at) =>
  planned((frequent[(at + 1) >> 1] ?? seldom[at % seldom.length]) as Written, at),
);

/** Runs that begin in one process in the day, where the runs of a flow are shared in both together. */
function expected({ ticks, every: interval, takes, overlap }: Planned): number {
  if (takes < interval || overlap === 'allow' || ticks === 0) return ticks;
  // A run of two and a half intervals is over between two ticks: every third begins one.
  if (overlap === 'skip') return Math.ceil(ticks / 3);
  // One follows another from the first tick to the end of the day, and the queue is never empty.
  return Math.floor((day - 1 - interval) / takes) + 1;
}

/** One process of the service; `began` receives the flow of each run. */
async function started(clock: SimulatedClock, storage: MemoryStorage, began: (flow: string) => void) {
  const claims = cacheClaims('shared', storage, 'service');
  const scheduled = flows.map(({ flow, schedule, overlap, isShared, takes }): ScheduledFlow => {
    const timetable = timetableOf(parseSchedule(schedule) as Schedule, 'UTC', isShared) as Timetable;
    const run = async () => {
      began(flow);
      await clock.sleep(takes);
      return reply;
    };
    return { flow, schedule, timetable, overlap, claims: isShared ? claims : undefined, run };
  });
  const runner = new ScheduleRunner(scheduled, planServices({ clock, families: new Metrics().families }));
  await runner.start();
}

test('R-96: a day of 200 schedules in two processes runs each tick once', { timeout: 180_000 }, async () => {
  const clock = new SimulatedClock({ elapsed: beginning, wall: Date.UTC(2026, 6, 1) });
  const options = { eviction: 'lru', maxItems: 1_000_000, defaultTtl: undefined } as const;
  const storage = new MemoryStorage(options, clock);
  const runs = [new Map<string, number>(), new Map<string, number>()];
  for (const counts of runs) await started(clock, storage, (flow) => counts.set(flow, (counts.get(flow) ?? 0) + 1));
  await clock.run(day - 100);
  const [one, other] = runs.map((counts) => (flow: string) => counts.get(flow) ?? 0) as [
    (flow: string) => number,
    (flow: string) => number,
  ];
  const counted = flows.map(({ flow, isShared, schedule, overlap, takes }) => {
    const count = isShared ? one(flow) + other(flow) : [one(flow), other(flow)];
    return [schedule, overlap, takes, count];
  });
  const wanted = flows.map((each) => {
    const { schedule, overlap, takes, isShared } = each;
    return [schedule, overlap, takes, isShared ? expected(each) : [expected(each), expected(each)]];
  });
  expect(counted).toEqual(wanted);
});
