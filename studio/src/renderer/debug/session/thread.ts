import type { DroppedMessage, StoppedRule, ThreadHolds } from '@svc/protocol/wire';

/** One stage that a thread went through, for the timeline. */
export interface StageRun {
  readonly stage: string;
  readonly name: string;
  /** Microseconds since the flow began, paused time left out. */
  readonly startUs: number;
  /** Undefined while it runs. */
  readonly durationUs: number | undefined;
  readonly pausedUs: number;
  readonly error: string;
  /** What it worked on, and what it made of it. */
  readonly input?: unknown;
  readonly output?: unknown;
}

/** `left`: the debugger left, and the thread ran on without it. `over`: the service ended. */
export type Cut = 'left' | 'over';

/** What a rule gave in a thread. */
export interface RuleValue {
  readonly stage: string;
  readonly name: string;
  readonly index: number;
  readonly target: string;
  /** As the service ran it; the text may say something else by now. */
  readonly expression: string;
  readonly result: unknown;
  readonly error: string;
}

/** Where a thread failed last, and why. */
export interface FailedAt {
  readonly stage: string;
  readonly name: string;
  /** Undefined where no rule failed, but the work of the stage. */
  readonly rule: { readonly index: number; readonly target: string } | undefined;
  readonly message: string;
}

/** How a thread ended. */
export interface Ending {
  /** What the flow answered. */
  readonly output: unknown;
  /** Empty when it did not fail. */
  readonly error: string;
  readonly durationUs: number;
  /** Why its message was dropped; undefined when it was not. */
  readonly dropped: DroppedMessage | undefined;
}

/** One message on its way through a flow, or one that went through it. */
export interface Thread {
  readonly id: string;
  /** From 1, in the order in which threads were first seen: what people call it. */
  readonly number: number;
  readonly flow: string;
  readonly stage: string;
  readonly name: string;
  readonly isPaused: boolean;
  /** `breakpoint`, `step`, `stepInto`, `pause`, `runTo`, `failure`, `restart`; empty while it runs. */
  readonly reason: string;
  readonly message: string;
  /** The rule that it is paused before. */
  readonly rule: StoppedRule | undefined;
  /** By `Date.now()`. */
  readonly startedAt: number;
  readonly pausedAt: number | undefined;
  /** Counts the stops of this thread. */
  readonly stop: number;
  readonly input: unknown;
  readonly stages: readonly StageRun[];
  /** Values of rules by `ruleKey`. */
  readonly values: ReadonlyMap<string, RuleValue>;
  /** Undefined while it runs. */
  readonly ended: Ending | undefined;
  /** The last failure inside of it, which the flow may have handled. */
  readonly failedAt: FailedAt | undefined;
  /** Grows with each beginning, stop and end of any thread: the greatest is that of the newest run. */
  readonly moved: number;
  /** How it was lost sight of before it ended; it is kept as it was then, and counts as ended. */
  readonly cut: Cut | undefined;
  /** What it holds up, as the service says. */
  readonly holds: ThreadHolds | undefined;
}

export function ruleKey(stage: string, name: string, ruleIndex: number): string {
  return `${stage}\u0000${name}\u0000${ruleIndex}`;
}

/** What a stage that ended says about failures: its own, unless one of its rules has said it already. */
export function failedStage({ failedAt }: Thread, { stage, name, error }: StageRun): FailedAt | undefined {
  if (error === '' || error === begunAgain) return failedAt;
  if (failedAt !== undefined && failedAt.message === error) return failedAt;
  return { stage, name, rule: undefined, message: error };
}

/** How a stage ends that a person has left to begin an earlier one again; see `debug.restartStage`. */
export const begunAgain = 'begun again';

export function newThread(id: string, number: number, flow: string, input: unknown, moved: number): Thread {
  return {
    id,
    number,
    flow,
    stage: '',
    name: '',
    isPaused: false,
    reason: '',
    message: '',
    rule: undefined,
    startedAt: Date.now(),
    pausedAt: undefined,
    stop: 0,
    input,
    stages: [],
    values: new Map(),
    ended: undefined,
    failedAt: undefined,
    moved,
    cut: undefined,
    holds: undefined,
  };
}
