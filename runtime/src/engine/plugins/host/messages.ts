import type { Convention, MemoryFunctions } from '../module/entries.ts';
import type { Lane } from './lane.ts';

/** What a thread of a module is given when it starts. */
export interface ThreadData {
  readonly module: WebAssembly.Module;
  readonly functions: MemoryFunctions;
  readonly maxBytes: number;
  readonly lane: Lane;
  /** Called with each new instance, before anything else: the `init` of a connector. */
  readonly initial: { readonly call: CallShape; readonly input: string } | undefined;
}

/** Which function, and how its result is read. */
export interface CallShape {
  readonly entry: string;
  readonly convention: Convention;
}

/** So many calls are in the lane; or more is to be said of them. Small messages cost a fraction of others. */
export type Batch =
  | number
  | {
      readonly count: number;
      /** All functions that were called so far, in the order of their numbers; where there is a new one. */
      readonly shapes?: readonly CallShape[] | undefined;
      /** The input of the only call, where the lane has no room for it. */
      readonly large?: Uint8Array | undefined;
    };

/** What a thread says. */
export type FromThread =
  | { readonly kind: 'ready' }
  /** The module cannot be started. */
  | { readonly kind: 'unusable'; readonly problem: string }
  /** So many calls have ended, and nothing else is to be said. */
  | number
  | BatchDone;

export interface BatchDone {
  readonly kind: 'done';
  /** Calls that have ended. Those behind were not begun. */
  readonly count: number;
  /** The answer of the last of them, where the lane has no room for it. */
  readonly large?: Uint8Array | undefined;
  /** Instances that were made new. */
  readonly rebuilt: number;
  /** What the module printed. */
  readonly printed?: { readonly lines: readonly string[]; readonly left: number } | undefined;
}
