import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { WatchedRule, WatchedStage } from '../../../foundation/contracts/probe.ts';
import type { StageName } from '../pipeline/stages.ts';
import type { Frame } from './frame.ts';

export type { WatchedRule } from '../../../foundation/contracts/probe.ts';
export type { StageName } from '../pipeline/stages.ts';

/** Does its work on the frame. `undefined` continues; an outcome ends the flow. */
export type Step = (frame: Frame) => Outcome | undefined | Promise<Outcome | undefined>;

/** The rest of a flow. */
export type Run = (frame: Frame) => Outcome | Promise<Outcome>;

/** Called before and after each rule of a stage, in written order; used by the observed variant only. */
export interface RuleWatch {
  /** Resolves when the rule may run. `frame` is what its expression reads. */
  enter(rule: number, frame: object): void | Promise<void>;
  leave(rule: number, frame: object, error: unknown, result: unknown): void | Promise<void>;
}

/** One stage of one flow, compiled. Absent stages have no part. */
export type Part = StepPart | AroundPart;

export interface StepPart {
  /** Undefined: runs unannounced. */
  readonly stage: StageName | undefined;
  /** Label of the block, target of a destination; empty when the stage needs none. */
  readonly name: string;
  /** For failures: `transform`, `step "user"`. */
  readonly title: string;
  /** Undefined: the stage is announced and does nothing. */
  readonly step: Step | undefined;
  /** The expressions of the stage, in the order in which `ruled` announces them. */
  readonly rules?: readonly WatchedRule[] | undefined;
  /** In the watched variant: exposes what the stage works on, before it is announced. */
  readonly prepare?: ((frame: Frame) => void) | undefined;
  /** The same work with every rule announced; absent when the stage has no rules. */
  readonly ruled?: ((watch: RuleWatch) => Step) | undefined;
  /** In the watched variant: the stage as which the part is announced. */
  readonly announced?: WatchedStage | undefined;
  /** The stages that `split` announces. */
  readonly places?: readonly WatchedStage[] | undefined;
  /** The same work with the stages announced that it is made of, such as each of several destinations. */
  readonly split?: ((announce: Announce) => Step) | undefined;
}

/** Announces one stage around its work. A promise when the work gives one, or when the watcher pauses the stage. */
export type Announce = (place: WatchedStage, frame: Frame, work: (watch: RuleWatch) => unknown) => unknown;

/** Work around everything that follows it. */
export interface AroundPart {
  readonly title: string;
  readonly around: (next: Run) => Run;
  /** The stages that `split` announces. */
  readonly places?: readonly WatchedStage[] | undefined;
  /** The same, with announced stages for its decisions, such as hits and misses of a cache. */
  readonly split?: ((announce: Announce) => (next: Run) => Run) | undefined;
}
