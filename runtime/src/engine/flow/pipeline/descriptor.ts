import type { StageFamily, StagePlace } from '@svc/protocol/language';
import type { Project } from '@svc/protocol/model';
import type { BlockSpec, Origin, Values } from '@svc/protocol/schema';
import type { WatchedRule } from '../../../foundation/contracts/probe.ts';
import type { Frame } from '../message/frame.ts';
import type { SagaDeclaration } from '../sagas/saga.ts';
import type { batch } from '../stages/batch/spec.ts';
import type { Destination } from '../stages/destination/destination.ts';
import type { to } from '../stages/destination/spec.ts';
import type { enrich } from '../stages/enrich/spec.ts';
import type { step } from '../stages/steps/spec.ts';

/**
 * The description of a stage of a flow. Everything that handles stages reads it: what may be written in a flow, the
 * order in which parts run, stops and lanes of editors, the debugger, tests and their coverage, rules. Data and pure
 * functions, free of platforms: pages import it.
 */
export interface StageDescriptor {
  /** The name by which `parts.ts` compiles it; absent: it has no work of its own. */
  readonly key?: string | undefined;
  /** The block of a flow that it reads; absent: it reads no block, or only what others also read. */
  readonly word?: string | undefined;
  /** What may be written in that block. */
  readonly block?: BlockSpec | undefined;
  /** Root blocks that belong to it, by word. */
  readonly root?: Readonly<Record<string, BlockSpec>> | undefined;
  /** Blocks inside its own that definitions may be made of, by word. */
  readonly reusable?: Readonly<Record<string, BlockSpec>> | undefined;
  /** Where it is written, and the lane it is drawn in. */
  readonly places?: readonly LanePlace[] | undefined;
  /** What it is announced as while it runs. */
  readonly stages?: Readonly<Record<string, StageFacts>> | undefined;
  /** Where it can stop, in the order in which it is announced; called only when its block is written. */
  readonly stops?: ((values: unknown, context: StopContext) => readonly StopPlace[]) | undefined;
  /** Its blocks that ask a connector; called only when its block is written. */
  readonly asks?: ((values: unknown) => readonly AskingPlace[]) | undefined;
  /**
   * It is all that the flow does between its gates and its answer (`whole`), or a part of the work that such a stage
   * replaces.
   */
  readonly work?: 'whole' | 'piece' | undefined;
  /** Parts of the work that may be written beside it because it reads them, by their words. */
  readonly beside?: readonly string[] | undefined;
  /** Where it keeps what executions of all processes share. */
  readonly keeps?: Keeping | undefined;
  /** What executions may lose while they hold it, so that each write has to check. */
  readonly holds?: 'lock' | 'permit' | undefined;
  /** It keeps whole answers, whatever fields of them a caller asked for. */
  readonly keepsAnswers?: true | undefined;
  /** Its expressions read the message after the checks, as one of its type. */
  readonly readsChecked?: true | undefined;
}

/** In a `storage` block of its own, or in a cache that an attribute names. */
export type Keeping = { readonly storage: 'own' } | { readonly storage: 'cache'; readonly attribute: string };

export interface LanePlace extends StagePlace {
  /** It surrounds the work, and is drawn after everything else. */
  readonly last?: true;
}

/** What an announced stage does with the frame. */
export interface StageFacts {
  /** Its own work changes nothing of the frame. */
  readonly looks?: true;
  /** Its work must not be done twice. */
  readonly acts?: true;
  /** Its rules make members of what the flow holds afterwards. */
  readonly builds?: true;
  /** It is an alternative to the other stages with this property: a flow passes one of them. */
  readonly alternative?: true;
  /** When a rule is false, the message is rejected; in other stages, the stage is skipped. */
  readonly turnsAway?: true;
  /** The object of which its rules make fields. */
  readonly makes?: readonly ('answer' | 'call')[];
  /** Whether a rule decides about the message or the block as a whole. Absent: no rule does. */
  readonly decides?: (rule: WatchedRule) => boolean;
  /** What the stage will read as `output`, for observers before it runs. Absent: the present `output`. */
  readonly sees?: (frame: Frame) => unknown;
  /** The data that it works on. Absent: the message. */
  readonly takes?: (frame: Frame) => unknown;
  /** What it has made. Absent: the message as it is then. */
  readonly gives?: (frame: Frame, name: string, result: unknown) => unknown;
}

/** A block of a flow that asks a connector. */
export type AskingPlace =
  | { readonly kind: 'to'; readonly title: string; readonly values: Values<typeof to> }
  | { readonly kind: 'step'; readonly title: string; readonly values: Values<typeof step> }
  | { readonly kind: 'batch'; readonly title: string; readonly values: Values<typeof batch>['to'] }
  | { readonly kind: 'enrich'; readonly title: string; readonly values: Values<typeof enrich> };

/** What the place of a stop depends on besides the block of its stage. */
export interface StopContext {
  readonly flow: string;
  /** The place of the flow's name. */
  readonly at: Origin;
  readonly project: Project;
  /** The saga behind the flow. */
  readonly saga: SagaDeclaration | undefined;
  /** Empty while they cannot be determined, and when another stage is the whole work of the flow. */
  readonly destinations: () => readonly Destination[];
}

/** A stage as it can stop, with its rules in the order in which they run. */
export interface StopPlace {
  readonly stage: string;
  /** Label of the block or of the destination; empty when the stage needs none. */
  readonly name: string;
  readonly at: Origin;
  readonly rules: readonly { readonly origin: Origin }[];
}

/** A block as a flow holds it. */
type Written<B> = B extends BlockSpec ? (B['repeated'] extends true ? readonly Values<B>[] : Values<B>) : undefined;

/** The common properties of all stages. */
type Common = Omit<StageDescriptor, 'key' | 'word' | 'block' | 'root' | 'reusable' | 'stages' | 'stops' | 'asks'>;

type Described<K, W, B, R, P, N extends string> = Common & {
  readonly key?: K;
  readonly word?: W;
  readonly block?: B;
  readonly root?: R;
  readonly reusable?: P;
  readonly stages?: Readonly<Record<N, StageFacts>>;
  readonly stops?: (values: Written<B>, context: StopContext) => readonly StopPlace[];
  readonly asks?: (values: Written<B>) => readonly AskingPlace[];
};

type Blocks = Readonly<Record<string, BlockSpec>>;

/** Describes a stage. Its functions get its block as it is decoded. */
export function describeStage<
  const K extends string | undefined = undefined,
  const W extends string | undefined = undefined,
  B extends BlockSpec | undefined = undefined,
  R extends Blocks | undefined = undefined,
  P extends Blocks | undefined = undefined,
  const N extends string = never,
>(
  described: Described<K, W, B, R, P, N>,
): Common & {
  readonly key: K;
  readonly word: W;
  readonly block: B;
  readonly root: R;
  readonly reusable: P;
  readonly stages: Readonly<Record<N, StageFacts>>;
  readonly stops?: StageDescriptor['stops'];
  readonly asks?: StageDescriptor['asks'];
} {
  return described as never;
}

/** A place in a lane of a flow; `path` leads to it from the flow inwards. */
export function lane(
  family: StageFamily,
  path: readonly [string, ...string[]],
  options: {
    readonly stages?: readonly string[];
    readonly detail?: string;
    readonly word?: string;
    readonly last?: true;
  },
): LanePlace {
  return { path, word: path.at(-1) as string, stages: [], family, ...options };
}

/** One stop without a name. */
export function stop(stage: string, at: Origin, rules: StopPlace['rules'] = [], name = ''): StopPlace {
  return { stage, name, at, rules };
}
