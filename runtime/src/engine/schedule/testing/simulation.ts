import type { Log } from '../../../foundation/observe/log.ts';
import { SimulatedClock, type SimulatedStart } from '../../../service/running/testing/simulated-clock.ts';
import { Scheduler } from '../scheduler.ts';
import type { Timetable } from '../timetable.ts';

/** The time of the day is set. */
export interface Jump {
  /** Milliseconds that pass before. */
  readonly after: number;
  /** Milliseconds; negative: set back. */
  readonly by: number;
}

export interface Simulation {
  readonly timetable: Timetable;
  readonly start: SimulatedStart;
  /** At least `restless` after each other. */
  readonly jumps: readonly Jump[];
  /** It is over after so many ticks, or so many milliseconds. */
  readonly most: { readonly ticks: number; readonly time: number };
}

/** A tick that ran. */
interface Ran {
  readonly tick: number;
  readonly elapsed: number;
}

/** What the scheduler promises (docs/specification/workflows.md#schedules), in milliseconds. */
const setBack = 60_000;
/** The scheduler reads the clock at least this often, and a timer may be late by some. */
const noticed = 30_000 + 10;
/** By how much a run may be late: of two timers, one is early by less than one, the other one makes up for it. */
const late = 3;
/** Jumps back are shorter than this, or longer than the other. */
export const [shortBack, longBack] = [25_000, 300_000];
/** Milliseconds between two jumps, at least. */
export const restless = 2 * noticed;
/** Questions to the timetable for one look at the clock, at most: a minute of ticks, each a millisecond after another. */
const mostQuestions = 70_000;

/**
 * Runs one schedule by a clock that a simulation sets, and gives what is wrong: a tick that did not rise, that was lost,
 * that came twice, that was late, or a loop that does not end.
 */
export async function simulate({ timetable, start, jumps, most }: Simulation): Promise<readonly string[]> {
  const problems: string[] = [];
  const clock = new SimulatedClock(start);
  const quiet = () => undefined;
  const error = (message: string, fields: unknown) => void problems.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { enabled: () => true, debug: quiet, info: quiet, warn: quiet, error, with: () => log };
  let questions = 0;
  let askedAt = 0;
  const counted: Timetable = {
    ...timetable,
    next: (after, since) => {
      if (askedAt !== clock.elapsed()) [askedAt, questions] = [clock.elapsed(), 0];
      if (++questions > mostQuestions) {
        problems.push('the loop does not end');
        return undefined;
      }
      return timetable.next(after, since);
    },
  };
  const ran: Ran[] = [];
  // The ticks of elapsed time are shown as the time of the day, which may be set back.
  const isShown = timetable.clock === 'elapsed';
  let mayRepeat = isShown;
  const scheduler = new Scheduler(clock, log, quiet);
  const began = clock.elapsed();
  const run = async (tick: number) => {
    const before = ran.at(-1)?.tick;
    if (before !== undefined && tick <= before && !mayRepeat) problems.push(`${tick} came after ${before}`);
    mayRepeat = isShown;
    ran.push({ tick, elapsed: clock.elapsed() });
    return 'succeeded' as const;
  };
  const startedAt = clock.now();
  scheduler.add({ key: 'one', flow: 'one', timetable: counted, overlap: 'allow', run });

  /** Ticks up to here need not come. */
  let done = startedAt;
  let from = startedAt;
  let first = 0;
  const isOver = () => ran.length >= most.ticks || clock.elapsed() - began >= most.time || problems.length > 0;
  /** Compares what ran since `from` with the timetable. */
  const settle = () => {
    const to = clock.now() - late;
    const came = ran.slice(first).filter(({ tick }) => tick > from && tick <= to);
    let at = 0;
    for (let tick = timetable.next(from, 0); tick !== undefined && tick <= to; tick = timetable.next(tick, 0)) {
      if (came[at]?.tick === tick) at++;
      else if (tick > done) return void problems.push(`${tick} was lost`);
    }
    if (at < came.length) problems.push(`${came[at]?.tick} is not a tick, or came twice`);
  };
  const byElapsed = () => {
    let due = began;
    for (const { elapsed } of ran) {
      due = timetable.next(due, began) as number;
      if (elapsed < due || elapsed > due + late) return void problems.push(`at ${elapsed} came what was due at ${due}`);
    }
    const next = timetable.next(due, began) as number;
    if (next < clock.elapsed() - late) problems.push(`${next} was lost`);
  };

  for (const jump of [...jumps, undefined]) {
    await clock.run(jump?.after ?? most.time, isOver);
    if (timetable.clock === 'now') settle();
    if (jump === undefined || isOver()) break;
    const { tick: last = startedAt } = ran.at(-1) ?? {};
    clock.set(jump.by);
    mayRepeat ||= jump.by <= -longBack;
    const now = clock.now();
    await clock.run(noticed, isOver);
    // Where it is uncertain at which look at the clock it was far enough back, both are right.
    if (last <= now + setBack) done = last;
    else done = last > now + setBack + 2 * noticed ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
    from = clock.now();
    first = ran.length;
  }
  if (timetable.clock === 'elapsed') byElapsed();
  await scheduler.close();
  return problems;
}
