import { Fields } from '@svc/protocol/cel';
import type { ScheduleEntry } from '@svc/protocol/wire';
import { anonymous, type Message } from '../../foundation/contracts/message.ts';
import type { PlanSchedules } from '../../foundation/contracts/operations.ts';
import type { PlanServices, RunFlow, Runner } from '../../foundation/contracts/plan.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Claims } from './claims.ts';
import { Deadline } from './deadline.ts';
import { type Job, type RunEnd, Scheduler } from './scheduler.ts';
import { writtenIn } from './zone.ts';

/** Milliseconds that a run may take, and those that a claim may. */
const runLimit = 5 * 60_000;
const claimLimit = 10_000;
/** Next runs of a schedule that are listed. */
const listedTicks = 5;

/** A flow with a schedule, ready to run. */
export interface ScheduledFlow extends Omit<Job, 'key' | 'run'> {
  /** As written. */
  readonly schedule: string;
  /** Absent: every process runs every tick. */
  readonly claims: Claims | undefined;
  readonly run: RunFlow;
}

/** Runs the scheduled flows of one generation. */
export class ScheduleRunner implements Runner, PlanSchedules {
  readonly name = 'schedules';
  readonly #flows: readonly ScheduledFlow[];
  readonly #services: PlanServices;
  readonly #scheduler: Scheduler;
  readonly #underWay = new Set<Promise<unknown>>();
  /** Stores that did not answer the last request. */
  readonly #unavailable = new Set<string>();
  #removers: readonly (() => void)[] = [];

  constructor(flows: readonly ScheduledFlow[], services: PlanServices) {
    this.#flows = flows;
    this.#services = services;
    const { clock, log, families } = services;
    const changed = (schedules: number) => void (families.scheduledFlows.of().value = schedules);
    this.#scheduler = services.share('schedules', () => new Scheduler(clock, log, changed));
  }

  async start(): Promise<void> {
    const claims = new Set(this.#flows.flatMap((flow) => flow.claims ?? []));
    await Promise.all([...claims].map((each) => each.prepare()));
    this.#removers = this.#flows.map((flow) => this.#scheduler.add(this.#jobOf(flow)));
  }

  async stop(): Promise<void> {
    for (const remove of this.#removers) remove();
    this.#removers = [];
    for (const store of [...this.#unavailable]) this.#report(store, false);
    await Promise.all(this.#underWay);
  }

  list(): readonly ScheduleEntry[] {
    return this.#flows.map((scheduled) => {
      const { flow, schedule, timetable, overlap, claims } = scheduled;
      const state = this.#scheduler.state(keyOf(scheduled), listedTicks);
      const { last } = state ?? {};
      return {
        flow,
        expression: schedule,
        timezone: timetable.zone ?? null,
        overlap,
        storage: claims?.name ?? null,
        next: (state?.next ?? []).map((tick) => writtenIn(timetable.zone, tick)),
        running: state?.running ?? 0,
        waiting: state?.waiting ?? 0,
        last:
          last === undefined
            ? null
            : {
                at: new Date(last.at).toISOString(),
                outcome: last.outcome,
                durationMs: last.duration ?? null,
              },
      };
    });
  }

  run(flow: string): 'begun' | 'queued' | { readonly refused: string } {
    const scheduled = this.#flows.find((each) => each.flow === flow);
    if (scheduled === undefined) return { refused: `no schedule runs flow "${flow}"` };
    const state = this.#scheduler.runNow(keyOf(scheduled));
    if (state === undefined) return { refused: 'the schedules of the service have not begun, or have ended' };
    if (state !== 'skipped') return state;
    return { refused: `flow "${flow}" runs already, and overlap = "${scheduled.overlap}" leaves another run out` };
  }

  #jobOf(scheduled: ScheduledFlow): Job {
    const { flow, timetable, overlap } = scheduled;
    const { scheduleExecuted } = this.#services.families;
    const counts = { succeeded: scheduleExecuted.of(flow, 'success'), failed: scheduleExecuted.of(flow, 'error') };
    const run = async (tick: number) => {
      const end = await this.#tick(scheduled, tick);
      if (end !== 'elsewhere') counts[end].value++;
      return end;
    };
    return {
      key: keyOf(scheduled),
      flow,
      timetable,
      overlap,
      run: (tick) => {
        const done = run(tick);
        this.#underWay.add(done);
        return done.finally(() => this.#underWay.delete(done));
      },
    };
  }

  async #tick(scheduled: ScheduledFlow, tick: number): Promise<RunEnd> {
    const claimed = await this.#claimed(scheduled, tick);
    if (claimed === undefined) return 'failed';
    return claimed ? this.#run(scheduled) : 'elsewhere';
  }

  /**
   * Whether this process has the tick; undefined when that is unknown, so that it must not run
   * (docs/specification/state.md#fail-closed).
   */
  async #claimed({ flow, claims }: ScheduledFlow, tick: number): Promise<boolean | undefined> {
    if (claims === undefined) return true;
    const { clock, log } = this.#services;
    const late = () => new Failure('store_unavailable', `no answer within ${claimLimit / 1000} s`);
    try {
      const claimed = await new Deadline(clock, claimLimit, late).for(claims.claim(flow, tick));
      this.#report(claims.name, false);
      return claimed;
    } catch (error) {
      const at = new Date(tick).toISOString();
      log.error('scheduled run left out: its tick cannot be claimed', {
        flow,
        tick: at,
        connector: claims.name,
        error,
      });
      this.#report(claims.name, true);
      return undefined;
    }
  }

  /** Reports to the health of the service which stores prevent schedules from running. */
  #report(store: string, unavailable: boolean): void {
    if (this.#unavailable.has(store) === unavailable) return;
    if (unavailable) this.#unavailable.add(store);
    else this.#unavailable.delete(store);
    const names = [...this.#unavailable].map((name) => `"${name}"`).join(', ');
    this.#services.degrade(
      'schedules',
      names === '' ? undefined : `ticks cannot be claimed in ${names}, and flows do not run`,
    );
  }

  async #run({ flow, run }: ScheduledFlow): Promise<'succeeded' | 'failed'> {
    const { clock, log } = this.#services;
    const minutes = runLimit / 60_000;
    const late = () => new Failure('run_timeout', `a run of flow "${flow}" has ${minutes} minutes`, { at: { flow } });
    const deadline = new Deadline(clock, runLimit, late);
    const message: Message = {
      input: new Fields(),
      auth: anonymous,
      signal: () => deadline.signal,
      cancelled: () => deadline.signal.aborted,
      hold: deadline.hold,
      addressed: [],
    };
    try {
      // The flow may throw at once; it has already counted and logged any failure.
      const { kind } = await deadline.for((async () => run(message))());
      return kind === 'failed' ? 'failed' : 'succeeded';
    } catch (error) {
      if (asFailure(error).code === 'run_timeout')
        log.error('scheduled run stopped: it took too long', { flow, limit: `${minutes}m` });
      return 'failed';
    }
  }
}

/** Equal for the same schedule in a later generation. */
function keyOf({ flow, schedule, timetable }: ScheduledFlow): string {
  return JSON.stringify([flow, schedule, timetable.zone]);
}
