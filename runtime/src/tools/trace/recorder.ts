import type { Frame } from '../../engine/flow/message/frame.ts';
import { factsOf, wordOf } from '../../engine/flow/pipeline/stages.ts';
import type { FlowProbe, WatchedRule, WatchedStage } from '../../foundation/contracts/probe.ts';
import type { Clock, Reading } from '../../foundation/observe/clock.ts';
import { errorText, mask } from '../../foundation/observe/mask.ts';
import { shownRule } from '../../service/debug/inspect.ts';
import { RunSecrecy } from '../../service/debug/values/run-secrecy.ts';
import { eventLimits, type Secrecy } from '../../service/debug/values/snapshot.ts';
import { comingOut } from '../../service/debug/values/stage-data.ts';
import type { Simulated } from './dry-run/simulated-call.ts';
import type { Places } from './places.ts';
import type { RecordedFlow, RecordedRule, RecordedSimulation, RecordedStage, StageState } from './recording.ts';

interface Run {
  readonly flow: string;
  readonly began: number;
  readonly entries: Entry[];
  readonly simulated: RecordedSimulation[];
  readonly runs: Run[];
  took: number;
}

/** A stage that has begun. */
interface Entry {
  readonly place: WatchedStage;
  readonly began: number;
  readonly rules: RecordedRule[];
  readonly evaluating: { readonly rule: WatchedRule; readonly began: number }[];
  readonly simulated: RecordedSimulation[];
  readonly runs: Run[];
  isOver: boolean;
  state: StageState;
  took: number;
  value?: unknown;
  error?: string;
}

export interface RecorderOptions {
  readonly clock: Clock;
  readonly secrecy: Secrecy;
  /** Texts that are never shown, such as values of the environment. */
  readonly hidden?: Iterable<string> | undefined;
  readonly places: Places;
  /** Milliseconds for which the flow was paused so far. */
  readonly paused: () => number;
  /** What each flow can pass, in order. */
  readonly stages: () => ReadonlyMap<string, readonly WatchedStage[]>;
}

/** Records what the flows of one message do, as copies that may be shown. */
export class Recorder implements FlowProbe {
  readonly attached = true;
  readonly #options: RecorderOptions;
  readonly #began: Reading;
  /** One message is one run, through all the flows that it passes. */
  readonly secrecy: RunSecrecy;
  readonly #runs: Run[] = [];
  /** Executions that have not ended, the last one last. */
  readonly #active: Run[] = [];
  #failure: unknown;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#began = options.clock.reading();
    this.secrecy = new RunSecrecy(options.secrecy, undefined, true);
    for (const text of options.hidden ?? []) this.secrecy.learnText(text);
  }

  /** Why the flow failed, also where `error_response` made an answer of it. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The executions that no other one called; the first one is the flow that was asked for. */
  recorded(): readonly RecordedFlow[] {
    return this.#runs.map((run) => this.#recordedRun(run));
  }

  /** Records what a dry run did not do, at the stage that asked for it. */
  readonly simulated = ({ connector, operation, place, answer }: Simulated): void => {
    const { secrecy } = this;
    const noted = { connector, operation, answer: secrecy.show(answer, eventLimits) };
    const run = this.#active.findLast(({ flow }) => place === undefined || flow === place.flow);
    const open = run?.entries.filter(({ isOver }) => !isOver) ?? [];
    const entry = place === undefined ? open.at(-1) : (open.find((each) => isTitled(each, place.label)) ?? open.at(-1));
    (entry ?? run ?? this.#runs[0])?.simulated.push(noted);
  };

  begin(flow: string, frame: object): Run {
    const run: Run = { flow, began: this.#now(), entries: [], simulated: [], runs: [], took: 0 };
    const caller = (frame as Frame).message.callers?.at(-1);
    const parent = caller === undefined ? undefined : this.#active.findLast((each) => each.flow === caller);
    const within = parent?.entries.findLast(({ isOver }) => !isOver) ?? parent;
    (within?.runs ?? this.#runs).push(run);
    this.#active.push(run);
    this.secrecy.begin(frame);
    return run;
  }

  enter(thread: unknown, place: WatchedStage, rule: WatchedRule | undefined): void {
    const { entries } = thread as Run;
    if (rule === undefined) {
      entries.push({
        place,
        began: this.#now(),
        rules: [],
        evaluating: [],
        simulated: [],
        runs: [],
        isOver: false,
        state: 'open',
        took: 0,
      });
    } else this.#entryOf(entries, place)?.evaluating.push({ rule, began: this.#now() });
  }

  leave(
    thread: unknown,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    frame: object,
    error: unknown,
    result: unknown,
  ): void {
    const { flow, entries } = thread as Run;
    const entry = this.#entryOf(entries, place);
    if (entry === undefined) return;
    if (rule !== undefined) this.#leaveRule(entry, flow, rule, frame, error, result);
    else this.#leaveStage(entry, entries, frame as Frame, error, result);
  }

  end(thread: unknown, error: unknown): void {
    const run = thread as Run;
    run.took = this.#now() - run.began;
    const at = this.#active.indexOf(run);
    if (at >= 0) this.#active.splice(at, 1);
    if (run === this.#runs[0]) this.#failure = error;
  }

  #leaveRule(entry: Entry, flow: string, rule: WatchedRule, frame: object, error: unknown, result: unknown): void {
    const { secrecy } = this;
    const { places } = this.#options;
    const isHidden = secrecy.hidesResult(rule, entry.place, frame, error, result);
    const { stage, name } = entry.place;
    const at = entry.evaluating.findLastIndex((each) => each.rule === rule);
    const [begun] = at < 0 ? [] : entry.evaluating.splice(at, 1);
    const { target, expression } = shownRule(rule, secrecy);
    const durationUs = microseconds(this.#now() - (begun?.began ?? this.#now()));
    const common = { target, expression, at: places.at(flow, stage, name, rule.index), durationUs };
    if (error !== undefined) entry.rules.push({ ...common, error: secrecy.clean(errorText(error)) });
    else if (isHidden) entry.rules.push({ ...common, value: mask });
    else entry.rules.push({ ...common, value: secrecy.show(result, eventLimits) ?? null });
    if (rule.target === 'when' && result === false && !factsOf(stage).turnsAway) entry.state = 'skipped';
  }

  #leaveStage(entry: Entry, entries: readonly Entry[], frame: Frame, error: unknown, result: unknown): void {
    const { place } = entry;
    entry.isOver = true;
    entry.took = this.#now() - entry.began;
    if (error !== undefined) {
      entry.state = 'failed';
      entry.error = this.secrecy.clean(errorText(error));
      return;
    }
    if (isDrop(result)) entry.state = 'dropped';
    else if (entry.state === 'open') entry.state = 'done';
    const made = comingOut(place, frame, result);
    if (!factsOf(place.stage).looks) this.secrecy.learnMembers(made);
    if (entry.state !== 'done' || (factsOf(place.stage).looks && place.stage !== 'input')) return;
    if (made === undefined) return;
    const value = this.secrecy.show(made, eventLimits) ?? null;
    // Sanitizing leaves most messages unchanged, and the input was already shown.
    const came = place.stage === 'sanitize' ? entries.findLast(({ place: { stage } }) => stage === 'input') : undefined;
    if (came === undefined || JSON.stringify(came.value) !== JSON.stringify(value)) entry.value = value;
  }

  #entryOf(entries: readonly Entry[], place: WatchedStage): Entry | undefined {
    return entries.findLast((each) => each.place === place && !each.isOver);
  }

  /** Milliseconds since it began, without pauses. */
  #now(): number {
    return this.#options.clock.since(this.#began) - this.#options.paused();
  }

  #recordedRun({ flow, entries, simulated, runs, took }: Run): RecordedFlow {
    const order = this.#options.stages().get(flow) ?? [];
    const passed = new Set(entries.map(({ place }) => keyOf(place)));
    const stages: RecordedStage[] = [];
    let next = 0;
    const passOver = (until: number) => {
      for (; next < until; next++) {
        const place = order[next] as WatchedStage;
        if (!passed.has(keyOf(place)) && !factsOf(place.stage).alternative) stages.push(this.#skipped(flow, place));
      }
    };
    for (const entry of entries) {
      const at = order.findIndex((place, index) => index >= next && keyOf(place) === keyOf(entry.place));
      // A flow that is retried returns to earlier stages.
      if (at >= 0) {
        passOver(at);
        next = at + 1;
      }
      stages.push(this.#recordedStage(flow, entry));
    }
    passOver(order.length);
    return {
      flow,
      durationUs: microseconds(took),
      stages,
      simulated,
      flows: runs.map((run) => this.#recordedRun(run)),
    };
  }

  #recordedStage(flow: string, { place, rules, simulated, runs, state, took, value, error }: Entry): RecordedStage {
    return {
      ...this.#placed(flow, place),
      state,
      durationUs: microseconds(took),
      rules,
      ...(value === undefined ? {} : { value }),
      ...(error === undefined ? {} : { error }),
      simulated,
      flows: runs.map((run) => this.#recordedRun(run)),
    };
  }

  #skipped(flow: string, place: WatchedStage): RecordedStage {
    return { ...this.#placed(flow, place), state: 'skipped', durationUs: 0, rules: [], simulated: [], flows: [] };
  }

  #placed(flow: string, { stage, name }: WatchedStage) {
    return { stage, name, at: this.#options.places.at(flow, stage, name) };
  }
}

function keyOf({ stage, name, declared = name }: WatchedStage): string {
  return `${stage} ${declared}`;
}

/** Whether a stage is that of the block which a call names (`step "user"`, `to "db"`). */
function isTitled({ place: { stage, name } }: Entry, label: string): boolean {
  return label === `${wordOf(stage)} "${name}"`;
}

function isDrop(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'kind' in result && result.kind === 'drop';
}

function microseconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds * 1000));
}
