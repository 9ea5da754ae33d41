import type { Resource } from '../../foundation/contracts/plan.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import type { overlaps } from './spec.ts';
import type { Timetable } from './timetable.ts';

/** One schedule of one flow, as a generation runs it. */
export interface Job {
  /** Equal keys are the same schedule in a later generation. */
  readonly key: string;
  readonly flow: string;
  readonly timetable: Timetable;
  readonly overlap: (typeof overlaps)[number];
  /** Runs one tick, and says how it ended. Never rejects. */
  readonly run: (tick: number) => Promise<RunEnd>;
}

/** How the run of a tick ended; `elsewhere`: another process has it. */
export type RunEnd = 'succeeded' | 'failed' | 'elsewhere';

/** The last run of a schedule in this process. Times are milliseconds since 1970. */
export interface LastRun {
  readonly at: number;
  /** `skipped`: the run before it had not ended. */
  readonly outcome: RunEnd | 'skipped';
  /** Milliseconds. */
  readonly duration: number | undefined;
}

/** How a schedule is. */
export interface ScheduleState {
  /** The next ticks by the time of the day. */
  readonly next: readonly number[];
  readonly running: number;
  readonly waiting: number;
  readonly last: LastRun | undefined;
}

/** Milliseconds after which the clock is read in any case: it may have been set, or the machine may have slept. */
const longestSleep = 30_000;
/** Milliseconds by which a tick may be late. What is later was missed, and is not run. */
const tolerance = 60_000;
/** Milliseconds by which the time of the day may run ahead of elapsed time, or behind, without having been set. */
const jump = 5_000;
/** Milliseconds by which the clock may be set back without repeating ticks. */
const setBack = 60_000;
/** Ticks that wait for the run before them, at most. */
const longestQueue = 100;

interface Entry {
  /** When the schedule was first known to this process, by its clock. */
  readonly since: number;
  /** Ticks up to this instant are processed. */
  at: number;
  due: number | undefined;
  /** The same schedule in each generation that serves it; the newest runs the ticks. */
  readonly jobs: Job[];
  running: number;
  readonly waiting: number[];
  last: LastRun | undefined;
}

/**
 * The ticks of all schedules of a process, from one timer. It outlives reloads: a schedule that is in the configuration
 * before and after one continues unchanged, and each tick is run by the newest generation.
 */
export class Scheduler implements Resource {
  readonly name = 'schedules';
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #changed: (schedules: number) => void;
  readonly #entries = new Map<string, Entry>();
  /** The last tick that was asked for. */
  #asked = 0;
  #wake = new AbortController();
  #looping = false;
  /** By how much the time of the day is ahead of elapsed time. */
  #ahead: number;

  /** `changed` receives the number of schedules. */
  constructor(clock: Clock, log: Log, changed: (schedules: number) => void) {
    this.#clock = clock;
    this.#log = log;
    this.#changed = changed;
    this.#ahead = clock.now() - clock.elapsed();
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#entries.clear();
    this.#wake.abort();
  }

  /** Runs the job at its ticks until the returned function is called; runs that have begun continue. */
  add(job: Job): () => void {
    const now = this.#clock[job.timetable.clock]();
    const known = this.#entries.get(job.key);
    const entry = known ?? { since: now, at: now, due: undefined, jobs: [], running: 0, waiting: [], last: undefined };
    this.#entries.set(job.key, entry);
    entry.jobs.push(job);
    this.#plan(entry);
    if (known === undefined) this.#announce(job, entry.due);
    this.#changed(this.#entries.size);
    this.#wake.abort();
    if (!this.#looping) void this.#loop();
    return () => this.#remove(job, entry);
  }

  /** How a schedule is, with so many of its next ticks; undefined when it is not known. */
  state(key: string, ticks: number): ScheduleState | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    const next: number[] = [];
    for (let due = entry.due; due !== undefined && next.length < ticks; ) {
      next.push(this.#timeOfDay(due, clockOf(entry)));
      due = entry.jobs.at(-1)?.timetable.next(due, entry.since);
    }
    return { next, running: entry.running, waiting: entry.waiting.length, last: entry.last };
  }

  /** Begins a tick now, whatever the timetable says; undefined when the schedule is not known. */
  runNow(key: string): 'begun' | 'queued' | 'skipped' | undefined {
    const entry = this.#entries.get(key);
    // No two have the same tick, so that each can be claimed.
    this.#asked = Math.max(this.#clock.now(), this.#asked + 1);
    if (entry === undefined || entry.running < longestQueue) return entry && this.#begin(entry, this.#asked);
    return 'skipped';
  }

  #announce({ flow, timetable: { clock, zone } }: Job, due: number | undefined): void {
    const next = due === undefined ? undefined : this.#shown(due, clock);
    this.#log.info('flow is scheduled', { flow, next, zone });
  }

  #remove(job: Job, entry: Entry): void {
    const index = entry.jobs.indexOf(job);
    if (index < 0) return;
    entry.jobs.splice(index, 1);
    if (entry.jobs.length > 0) return this.#plan(entry);
    if (this.#entries.get(job.key) === entry) this.#entries.delete(job.key);
    if (entry.waiting.length > 0)
      this.#log.warn('scheduled runs that waited for the one before were discarded', {
        flow: job.flow,
        runs: entry.waiting.splice(0).length,
      });
    this.#changed(this.#entries.size);
    this.#wake.abort();
  }

  #plan(entry: Entry): void {
    const job = entry.jobs.at(-1);
    entry.due = undefined;
    if (job === undefined) return;
    try {
      const due = job.timetable.next(entry.at, entry.since);
      if (due !== undefined && !(Number.isSafeInteger(due) && due > entry.at))
        throw new RangeError(`after ${entry.at}, the next run is at ${due}`);
      entry.due = due;
    } catch (error) {
      // A tick that is not later than the last one would be due for ever.
      this.#log.error('schedule ended: its next run cannot be found', { flow: job.flow, error });
    }
  }

  /** A time of one of the clocks as the time of the day. */
  #timeOfDay(time: number, clock: Timetable['clock']): number {
    return clock === 'now' ? time : time + this.#ahead;
  }

  #shown(time: number, clock: Timetable['clock']): string {
    return new Date(this.#timeOfDay(time, clock)).toISOString();
  }

  /** Logs when the clock was set, and moves the schedules that follow it. */
  #noticeJump(): void {
    const ahead = this.#clock.now() - this.#clock.elapsed();
    const by = Math.round((ahead - this.#ahead) / 1000);
    if (Math.abs(ahead - this.#ahead) > jump)
      this.#log.warn('the clock was set: schedules go by the new time', { by: `${by > 0 ? '+' : ''}${by}s` });
    this.#ahead = ahead;
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    while (this.#entries.size > 0) {
      this.#wake = new AbortController();
      this.#noticeJump();
      let pause = longestSleep;
      for (const entry of this.#entries.values()) {
        const now = this.#clock[clockOf(entry)]();
        this.#fire(entry, now);
        pause = Math.min(pause, (entry.due ?? Number.POSITIVE_INFINITY) - now);
      }
      await this.#clock.sleep(Math.max(1, pause), this.#wake.signal).catch(() => undefined);
    }
    this.#looping = false;
  }

  /** Begins what is due. Of several ticks that are due at once, the last one runs for all of them. */
  #fire(entry: Entry, now: number): void {
    if (entry.at > now + setBack) {
      entry.at = now - 1;
      this.#plan(entry);
    }
    if (entry.due !== undefined && entry.due < now - tolerance) this.#miss(entry, now);
    let last: number | undefined;
    const first = entry.due;
    for (let tick = first; tick !== undefined && tick <= now; tick = entry.due) {
      last = tick;
      entry.at = tick;
      this.#plan(entry);
    }
    if (last === undefined) return;
    if (last !== first) this.#tellMissed(entry, first as number);
    this.#begin(entry, this.#timeOfDay(last, clockOf(entry)));
  }

  #miss(entry: Entry, now: number): void {
    this.#tellMissed(entry, entry.due as number);
    entry.at = now - tolerance;
    this.#plan(entry);
  }

  #tellMissed(entry: Entry, first: number): void {
    this.#log.warn('scheduled runs were missed while the process was suspended or the clock was set', {
      flow: entry.jobs.at(-1)?.flow,
      first: this.#shown(first, clockOf(entry)),
    });
  }

  #begin(entry: Entry, tick: number): 'begun' | 'queued' | 'skipped' | undefined {
    const job = entry.jobs.at(-1);
    if (job === undefined) return undefined;
    const { overlap, flow } = job;
    if (overlap === 'allow' || entry.running === 0) {
      this.#run(entry, job, tick);
      return 'begun';
    }
    if (overlap === 'queue' && entry.waiting.length < longestQueue) {
      entry.waiting.push(tick);
      return 'queued';
    }
    const fields = { flow, tick: new Date(tick).toISOString() };
    if (overlap === 'skip') this.#log.warn('scheduled run left out: the one before has not ended', fields);
    else this.#log.error('scheduled run left out: too many wait for the one before', fields);
    entry.last = { at: tick, outcome: 'skipped', duration: undefined };
    return 'skipped';
  }

  #run(entry: Entry, job: Job, tick: number): void {
    entry.running++;
    const began = this.#clock.elapsed();
    void job.run(tick).then((outcome) => {
      entry.last = {
        at: tick,
        outcome,
        duration: outcome === 'elsewhere' ? undefined : this.#clock.elapsed() - began,
      };
      entry.running--;
      const next = entry.running === 0 && entry.jobs.length > 0 ? entry.waiting.shift() : undefined;
      if (next !== undefined) this.#run(entry, entry.jobs.at(-1) as Job, next);
    });
  }
}

function clockOf({ jobs }: Entry): Timetable['clock'] {
  return jobs.at(-1)?.timetable.clock ?? 'now';
}
