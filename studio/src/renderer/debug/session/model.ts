import { type EventName, type EventParams, type StoppedRule, type ThreadEntry, writtenName } from '@svc/protocol/wire';
import { Store } from '../../state/store.ts';
import { NewestRuns } from './newest-runs.ts';
import { begunAgain, type Cut, failedStage, newThread, ruleKey, type Thread } from './thread.ts';
import { ranUs } from './timeline.ts';

export interface LogEntry {
  readonly id: number;
  readonly at: number;
  readonly threadId: string;
  readonly flow: string;
  readonly stage: string;
  readonly name: string;
  readonly ruleIndex: number;
  readonly message: string;
}

export interface DebugState {
  /** `lost`: it was attached, and is being dialled again. */
  readonly connection: 'none' | 'connecting' | 'attached' | 'lost';
  readonly address: string | undefined;
  readonly capabilities: ReadonlySet<string>;
  /** Running and paused threads, oldest first, then those that ended (the last hundred). */
  readonly threads: readonly Thread[];
  /** Trace events that the service left out because this client was slow. */
  readonly dropped: number;
}

const keptEnded = 100;
/** Milliseconds in which what changed is shown together. */
const frame = 16;
const keptLog = 1000;
/** Stages of one thread that are kept; a loop may run through thousands. */
const keptStages = 500;
export const nothing: DebugState = {
  connection: 'none',
  address: undefined,
  capabilities: new Set(),
  threads: [],
  dropped: 0,
};

type Handlers = { readonly [E in EventName]?: (params: EventParams<E>) => void };

/**
 * What is known about the attached service, from its events. A flood of them becomes one change of the store for each
 * `schedule`d flush, so that nothing is drawn more often than the screen is.
 */
export class DebugModel {
  readonly state = new Store<DebugState>(nothing);
  readonly log = new Store<readonly LogEntry[]>([]);
  /** The thread that the person chose, or that stopped; undefined: the newest run is followed. */
  readonly focused = new Store<string | undefined>(undefined);
  /** Flows that the person sees, the one that they are in first. */
  readonly inView = new Store<readonly string[]>([]);
  /** Called at every stop, at once. */
  onStopped: (thread: Thread) => void = () => undefined;
  onEnded: (thread: Thread) => void = () => undefined;
  /** Called when every thread is forgotten. */
  onReset: () => void = () => undefined;
  readonly #threads = new Map<string, Thread>();
  readonly #schedule: (flush: () => void) => void;
  #isScheduled = false;
  #flushedAt = 0;
  #logged: LogEntry[] = [];
  #lastLog = 0;
  #lastThread = 0;
  #lastMove = 0;
  #dropped = 0;
  readonly #newest = new NewestRuns(() => this.#touch());

  constructor(schedule: (flush: () => void) => void = (flush) => void setTimeout(flush, frame)) {
    this.#schedule = schedule;
    this.inView.subscribe(() => this.#flush());
  }

  thread(id: string | undefined): Thread | undefined {
    return id === undefined ? undefined : this.#threads.get(id);
  }

  /**
   * The thread in focus, else the first that is paused, else the newest run: of the flow that the person is in, of one
   * that they see, of any.
   */
  get current(): Thread | undefined {
    const { threads } = this.state.value;
    const held = this.thread(this.focused.value) ?? threads.find(({ isPaused }) => isPaused);
    return held ?? this.thread(this.#newest.seen(this.inView.value));
  }

  /** The run whose course a flow shows: the one that is looked at, else one that is paused, else the newest. */
  runOf(flow: string): Thread | undefined {
    const { current } = this;
    if (current?.flow === flow) return current;
    const paused = this.state.value.threads.find((thread) => thread.isPaused && thread.flow === flow);
    return paused ?? this.thread(this.#newest.of(flow));
  }

  /** Looks at another thread that is paused, when there is one: the one in focus was released. */
  focusNextPaused(): void {
    const next = [...this.#threads.values()].find(({ id, isPaused }) => isPaused && id !== this.focused.value);
    if (next) this.focused.set(next.id);
  }

  connection(part: Partial<Omit<DebugState, 'threads' | 'dropped'>>): void {
    this.state.patch(part);
  }

  /** Forgets every thread, as when another session begins. */
  reset(): void {
    this.#threads.clear();
    this.#newest.forget();
    this.#lastThread = 0;
    this.#dropped = 0;
    this.focused.set(undefined);
    this.#flush();
    this.onReset();
  }

  /** Looks at a run that has ended, also at one that is not kept here any more. */
  lookAt(thread: Thread): void {
    if (!this.#threads.has(thread.id)) this.#threads.set(thread.id, thread);
    this.#flush();
    this.focused.set(thread.id);
  }

  /** The connection is over: nothing more will be heard of threads that have not ended. They are kept, and marked. */
  cut(how: Cut): void {
    const { current } = this;
    const held = this.focused.value ?? (current?.ended === undefined ? current?.id : undefined);
    for (const [id, thread] of this.#threads) {
      const ended = thread.ended ?? { output: undefined, error: '', durationUs: ranUs(thread), dropped: undefined };
      if (thread.ended === undefined)
        this.#threads.set(id, { ...thread, ended, cut: how, isPaused: false, reason: '', pausedAt: undefined });
      else if (thread.cut === 'left' && how === 'over') this.#threads.set(id, { ...thread, cut: how });
    }
    this.focused.set(held);
    this.#forgetOldest();
    this.#flush();
  }

  /** What `debug.threads` answered: threads that began before this client listened, and what each holds. */
  listed(entries: readonly ThreadEntry[]): void {
    for (const entry of entries) {
      const known = this.#threads.get(entry.id) ?? this.#new(entry.id, entry.flowName, undefined);
      this.#threads.set(entry.id, {
        ...known,
        stage: entry.stage,
        name: writtenName(entry.stage, entry.name),
        isPaused: entry.paused,
        // Of a stop that was seen more is known: the service does not know that a breakpoint was a pause.
        reason: entry.paused && known.isPaused ? known.reason : entry.reason,
        pausedAt: entry.paused ? (known.pausedAt ?? Date.now()) : undefined,
        holds: entry.holds ?? undefined,
      });
    }
    this.#flush();
  }

  /** A paused thread that was found, not seen to stop: the rule that it is paused before. */
  foundPaused(id: string, rule: StoppedRule | undefined): void {
    const thread = this.#threads.get(id);
    if (thread?.isPaused !== true || thread.stop > 0) return;
    this.#threads.set(id, { ...thread, rule, stop: 1 });
    if (this.focused.value === undefined) this.focused.set(id);
    this.#flush();
    this.onStopped(this.#threads.get(id) as Thread);
  }

  readonly handlers: Handlers = {
    'event.flowStart': ({ threadId, flowName, input }) => {
      this.#threads.set(threadId, this.#new(threadId, flowName, input));
      this.#touch();
    },
    'event.stageEnter': ({ threadId, flowName, stage, name: own, input }) => {
      const name = writtenName(stage, own);
      const thread = this.#known(threadId, flowName);
      const last = thread.stages.at(-1);
      const startUs = last === undefined ? 0 : last.startUs + (last.durationUs ?? 0);
      const run = { stage, name, startUs, durationUs: undefined, pausedUs: 0, error: '', input };
      this.#change(thread, { stage, name, stages: [...thread.stages, run].slice(-keptStages) });
    },
    'event.stageExit': ({ threadId, flowName, stage, name: own, durationUs, pausedUs, error, output }) => {
      const name = writtenName(stage, own);
      const thread = this.#known(threadId, flowName);
      const at = thread.stages.findLastIndex((run) => run.stage === stage && run.name === name && !run.durationUs);
      const startUs = thread.stages[at]?.startUs ?? 0;
      const { input } = thread.stages[at] ?? {};
      const run = { stage, name, startUs, durationUs, pausedUs, error, input, output };
      const stages = at < 0 ? [...thread.stages, run] : thread.stages.with(at, run);
      this.#change(thread, { stages, failedAt: failedStage(thread, run) });
    },
    'event.ruleEval': ({ threadId, flowName, stage, name: own, ruleIndex: index, ...rule }) => {
      const name = writtenName(stage, own);
      const { target, expression, result, error } = rule;
      const thread = this.#known(threadId, flowName);
      const value = { stage, name, index, target, expression, result, error };
      const values = new Map(thread.values).set(ruleKey(stage, name, index), value);
      const failed =
        error === '' || error === begunAgain
          ? thread.failedAt
          : { stage, name, rule: { index, target }, message: error };
      this.#change(thread, { values, failedAt: failed });
    },
    'event.stopped': ({ threadId, flowName, stage, name: own, rule, reason, message }) => {
      const name = writtenName(stage, own);
      const thread = this.#known(threadId, flowName);
      this.#change(thread, {
        stage,
        name,
        rule,
        reason,
        message,
        isPaused: true,
        pausedAt: Date.now(),
        stop: thread.stop + 1,
        moved: ++this.#lastMove,
      });
      if (this.thread(this.focused.value)?.isPaused !== true || this.focused.value === threadId)
        this.focused.set(threadId);
      this.#flush();
      this.onStopped(this.#threads.get(threadId) as Thread);
    },
    'event.continued': ({ threadId }) => {
      const thread = this.#threads.get(threadId);
      if (thread)
        this.#change(thread, { isPaused: false, reason: '', message: '', rule: undefined, pausedAt: undefined });
    },
    'event.flowEnd': ({ threadId, flowName, output, error, durationUs, dropped }) => {
      const thread = this.#known(threadId, flowName);
      const ended = { output, error, durationUs, dropped: dropped ?? undefined };
      this.#change(thread, { isPaused: false, reason: '', rule: undefined, ended, moved: ++this.#lastMove });
      if (this.focused.value === threadId) {
        this.focusNextPaused();
        // It is followed as any other that has just ended.
        if (this.focused.value === threadId) this.focused.set(undefined);
      }
      this.#forgetOldest();
      // What a person waits for. The ends of a flood are shown once a frame, as the rest is.
      if (performance.now() - this.#flushedAt > frame) this.#flush();
      this.onEnded(this.#threads.get(threadId) ?? thread);
    },
    'event.log': ({ threadId, flowName, stage, name: own, ruleIndex, message }) => {
      const name = writtenName(stage, own);
      const id = ++this.#lastLog;
      this.#logged.push({ id, at: Date.now(), threadId, flow: flowName, stage, name, ruleIndex, message });
      this.#touch();
    },
    'event.dropped': ({ count }) => {
      this.#dropped += count;
      this.#touch();
    },
  };

  #known(id: string, flow: string): Thread {
    return this.#threads.get(id) ?? this.#new(id, flow, undefined);
  }

  #new(id: string, flow: string, input: unknown): Thread {
    return newThread(id, ++this.#lastThread, flow, input, ++this.#lastMove);
  }

  #change(thread: Thread, part: Partial<Thread>): void {
    this.#threads.set(thread.id, { ...thread, ...part });
    this.#touch();
  }

  #forgetOldest(): void {
    const ended = [...this.#threads.values()].filter(({ ended: end }) => end !== undefined);
    for (const { id, flow } of ended.slice(0, Math.max(0, ended.length - keptEnded)))
      if (id !== this.focused.value && id !== this.#newest.of(flow)) this.#threads.delete(id);
  }

  #touch(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#schedule(() => {
      this.#isScheduled = false;
      this.#flush();
    });
  }

  #flush(): void {
    this.#flushedAt = performance.now();
    const all = [...this.#threads.values()];
    this.#newest.find(all);
    const threads = [...all.filter(({ ended }) => !ended), ...all.filter(({ ended }) => ended)];
    this.state.patch({ threads, dropped: this.#dropped });
    if (this.#logged.length === 0) return;
    this.log.update((log) => [...log, ...this.#logged].slice(-keptLog));
    this.#logged = [];
  }
}
