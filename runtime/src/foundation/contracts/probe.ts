import type { Drop } from './outcome.ts';

/** A stage of a flow as a probe knows it; the same object each time. */
export interface WatchedStage {
  readonly stage: string;
  /** Label of the block, target of a destination; empty when the stage needs none. */
  readonly name: string;
  readonly rules: readonly WatchedRule[];
  /** The name under which breakpoints are set, where each run has one of its own (`chunk 3` of `chunk`). */
  readonly declared?: string | undefined;
  /** Each run of it has its number behind the name (`chunk 3` of `chunk`), by which breakpoints may name it. */
  readonly numbered?: true | undefined;
  /** Stages with equal numbers run in one loop, which may go back to an earlier one; absent: the stage is in no loop. */
  readonly loop?: number | undefined;
}

/** One expression of a stage; the same object each time. */
export interface WatchedRule {
  /** Position in written order, from 0. */
  readonly index: number;
  /** What the value is for: a field, `params.id`, `when`. */
  readonly target: string;
  /** As written. */
  readonly expression: string;
  /** It is not an expression of the flow language but a statement of a database. */
  readonly isStatement?: true | undefined;
  /** What its expression reads besides the variables of every flow: those of the loops around it. */
  readonly variables?: readonly string[] | undefined;
}

/** How a debugger or tracer watches flows. `attached` is read once per execution and never per stage. */
export interface FlowProbe {
  readonly attached: boolean;
  /** Called by observed flows only; the returned value is kept in `Frame.thread`. */
  begin(flow: string, frame: object): unknown;
  /** Resolves when the flow may continue: before each stage, step, enrichment and rule. `frame` is what expressions read there. */
  enter(thread: unknown, place: WatchedStage, rule: WatchedRule | undefined, frame: object): void | Promise<void>;
  /** After it, with what it gave or why it failed. Waited for, as a failure may be looked at before the flow continues. */
  leave(
    thread: unknown,
    place: WatchedStage,
    rule: WatchedRule | undefined,
    frame: object,
    error: unknown,
    result: unknown,
  ): void | Promise<void>;
  /** `output` is what the flow answered; undefined when it failed or dropped the message. `drop` is why it dropped it. */
  end(thread: unknown, error: unknown, output: unknown, drop?: Drop): void;
}
