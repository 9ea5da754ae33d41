import type { Range } from '../text/index.ts';
import type { CelType } from './types.ts';

/**
 * Values of the expression language as JavaScript holds them:
 *
 * | CEL        | JavaScript                                             |
 * |------------|--------------------------------------------------------|
 * | int        | bigint                                                 |
 * | uint       | CelUint                                                |
 * | double     | number (every number that came from JSON)              |
 * | bool, string, null_type | boolean, string, null                     |
 * | bytes      | Uint8Array                                             |
 * | list       | readonly array                                         |
 * | map        | plain object (string keys, own properties only) or Map |
 * | timestamp, duration | CelTimestamp, CelDuration                     |
 * | optional   | CelOptional                                            |
 * | type       | CelTypeValue                                           |
 *
 * `undefined` in a map or as a variable means absent. Maps that expressions build have no inherited property. A Date
 * of the host is taken for a timestamp.
 */
export type CelValue = unknown;

/**
 * What an evaluation reads: an object whose own or inherited properties are the declared variables. It is read,
 * never copied or changed, so the runtime passes the message itself.
 */
export type Activation = object;

/** A name that an expression may use. */
export interface VariableDeclaration {
  readonly name: string;
  readonly type: CelType;
  readonly doc?: string | undefined;
}

export interface CompileOptions {
  /**
   * The variables of this position; any other identifier is a problem. Absent: every identifier is accepted (as dyn).
   */
  readonly variables?: readonly VariableDeclaration[] | undefined;
  /** The type the result must have; a result that is known to have another one is a problem. */
  readonly expect?: CelType | undefined;
  /** False leaves wrong types and unknown names to run time; what cannot be parsed stays a problem. Default true. */
  readonly check?: boolean | undefined;
  /** Extra functions of this position, such as `env` for a profile's `select` or those of a plugin. */
  readonly functions?: readonly FunctionImplementation[] | undefined;
  /** Whether this position waits: elsewhere a call of a function whose value comes later is a problem. */
  readonly waits?: boolean | undefined;
}

/** A problem found while compiling. The range is in the expression's own text. */
export interface CelProblem {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  readonly range: Range;
  /** The closest known name when a name is unknown. */
  readonly suggestion?: string | undefined;
  /** It cannot be evaluated at this position, whatever it reads. */
  readonly misplaced?: true | undefined;
}

export type Compiled =
  | { readonly ok: true; readonly program: CelProgram; readonly warnings: readonly CelProblem[] }
  | { readonly ok: false; readonly problems: readonly CelProblem[] };

/** A compiled expression. Immutable and shareable; evaluation keeps no state between calls. */
export interface CelProgram {
  readonly source: string;
  /** The static type of the result, `dyn` when it is only known at run time. */
  readonly type: CelType;
  /** What the expression reads, for scope checks, unused names and skipped work; in written order. */
  readonly references: readonly CelReference[];
  /** The value when the expression reads nothing and calls nothing that varies. */
  readonly constant?: { readonly value: CelValue } | undefined;
  /** It calls a function whose value comes later: `evaluateLater` evaluates it, and `evaluate` throws. */
  readonly waits: boolean;
  /** Throws CelError when the evaluation fails. */
  evaluate(activation: Activation): CelValue;
  /** The same for an expression that waits. Rejects with CelError, and with what a function rejects with. */
  evaluateLater(activation: Activation): Promise<CelValue>;
  /** Whether every evaluation gives the same value, or fails in the same way, while the paths of which `isSame` holds do. */
  repeats(isSame: (path: readonly string[]) => boolean): boolean;
  /** Whether an evaluation that failed so fails again while the paths of which `isSame` holds have the same values. */
  failsAgain(error: unknown, isSame: (path: readonly string[]) => boolean): boolean;
  /**
   * The values of the parts that the expression is made of, inner ones first, each evaluated by itself, also where the
   * whole would not ask for it. A path such as `input.items[0].name` is one part. Left out: the whole itself, what says
   * its own value, what is inside the body of a macro, and what is beyond 500 parts. All together may cost as
   * much as one evaluation.
   */
  read(activation: Activation): readonly CelPart[];
}

/** A part of an expression with its value, or with what its evaluation threw. */
export interface CelPart extends Range {
  /** 1 for the innermost, and one more than the deepest part inside. */
  readonly depth: number;
  readonly value?: CelValue;
  readonly error?: unknown;
}

/**
 * A path that an expression reads: `step.user.name` is `["step", "user", "name"]`; it ends at the first computed index.
 */
export interface CelReference extends Range {
  readonly path: readonly string[];
}

/** A failed evaluation. `range` says which part of the expression failed; it is empty only before that is known. */
export class CelError extends Error {
  override readonly name = 'CelError';
  readonly reason: CelErrorReason;
  readonly range: Range;

  constructor(reason: CelErrorReason, message: string, range: Range = { start: 0, end: 0 }) {
    super(message);
    this.reason = reason;
    this.range = range;
  }
}

export type CelErrorReason =
  | 'no-such-key'
  | 'no-such-overload'
  | 'no-such-field'
  | 'out-of-range'
  | 'divide-by-zero'
  | 'overflow'
  | 'invalid-argument'
  | 'invalid-conversion'
  | 'cost-limit';

/** A function that the host adds to a position. It wins over a function of the language with the same name. */
export interface FunctionImplementation {
  readonly name: string;
  /** Numbers of arguments that are accepted. */
  readonly arity: readonly number[];
  /** Whether equal arguments always give the same value; only then may a constant call be computed at compile time. */
  readonly pure: boolean;
  /** `invoke` gives a promise: only expressions that wait may call it. */
  readonly later?: true | undefined;
  /** What people read about it; absent: nothing. */
  readonly doc?: string | undefined;
  invoke(args: readonly CelValue[], activation: Activation): CelValue;
}

/** What differs between hosts and tests. */
export interface CelEnvironment {
  /** Milliseconds since 1970. */
  now(): number;
  uuid(): string;
  /** Value of an environment variable; undefined when it is not set. */
  env(name: string): string | undefined;
  /** Lower-case hexadecimal SHA-256 of a UTF-8 text. */
  sha256(text: string): string;
}

export interface EngineOptions {
  readonly environment: CelEnvironment;
  /**
   * `product` (default) accepts `??`, `default()` and mixed number arithmetic; `strict` is the public standard alone.
   */
  readonly dialect?: 'product' | 'strict' | undefined;
  /**
   * Steps that one evaluation may take: each round of a loop, each element of a list or map that a function or a
   * comparison walks through or builds, and each 64 characters of a text that a function reads. Default 1,000,000.
   */
  readonly costLimit?: number | undefined;
  /**
   * Whether hot expressions may become JavaScript functions; false where a content policy forbids it. Default true.
   * It changes the speed alone, never a value or an error.
   */
  readonly generateCode?: boolean | undefined;
}

/** Compiles expressions. Equal sources with equal options give the same program. */
export interface CelEngine {
  compile(source: string, options?: CompileOptions): Compiled;
  /** How many expressions were parsed since the engine was made; does not grow while requests run. */
  readonly parseCount: number;
}
