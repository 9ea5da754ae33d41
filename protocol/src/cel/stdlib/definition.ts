import type { CelEnvironment } from '../engine.ts';

/** The work of a function: positional arguments, the receiver first when it is called as a method. */
export type Builtin = (...args: readonly unknown[]) => unknown;

/** What a function may need besides its arguments. */
export interface FunctionContext {
  readonly environment: CelEnvironment;
  /** How many elements one call may build. */
  readonly costLimit: number;
}

export type FunctionGroup =
  | 'basics'
  | 'conversions'
  | 'text'
  | 'time'
  | 'math'
  | 'lists'
  | 'maps'
  | 'sets'
  | 'encoders'
  | 'optionals'
  | 'system'
  | 'graphql';

/** What people read about a function or macro. */
export interface FunctionDocumentation {
  /** The name as it is written, with its namespace: `math.ceil`. */
  readonly name: string;
  readonly group: FunctionGroup;
  /**
   * Each way to call it: `string.split(separator: string, limit?: int) -> list(string)`. A type before the dot is the
   * receiver, another word a namespace; `?` marks an optional parameter, `...` a repeated one, a capital a type that
   * denotes any.
   */
  readonly signatures: readonly string[];
  /** One or two sentences. */
  readonly doc: string;
  /** An expression that is true. */
  readonly example: string;
  /** `product` for what the public standard and its extensions do not have. */
  readonly dialect?: 'product' | undefined;
}

/** A function with its documentation and its work. */
export interface FunctionDefinition extends FunctionDocumentation {
  /** False when equal arguments may give different values. */
  readonly pure?: false | undefined;
  /** The work of `name(...)`. */
  readonly call?: Builtin | undefined;
  /** The work of `receiver.name(...)`. */
  readonly method?: Builtin | undefined;
  /** A quicker form of the work for arguments that are known while compiling (undefined where they are not). */
  readonly prepare?: ((constants: readonly unknown[]) => Builtin | undefined) | undefined;
  /** Throws the CelError that constant arguments (undefined where they are not constant) would always cause. */
  readonly inspect?: ((constants: readonly unknown[]) => void) | undefined;
  /** Makes the work, of whichever form has a signature, where it needs the host or keeps something. */
  readonly bind?: ((context: FunctionContext) => Builtin) | undefined;
}
