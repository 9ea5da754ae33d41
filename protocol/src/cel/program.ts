import type { Expression } from './ast.ts';
import { type Evaluate, type Frame, located, type Variables } from './compile/code.ts';
import type { Activation, CelProgram, CelReference, CelValue } from './engine.ts';
import type { CelType } from './types.ts';

export interface ProgramParts {
  readonly source: string;
  readonly expression: Expression;
  readonly type: CelType;
  readonly references: readonly CelReference[];
  readonly run: Evaluate;
  /** How many variables of macros a frame holds. */
  readonly slots: number;
  readonly costLimit: number;
  /** Whether equal activations always give equal values. */
  readonly pure: boolean;
}

/** A compiled expression. */
export class Program implements CelProgram {
  readonly source: string;
  readonly type: CelType;
  readonly references: readonly CelReference[];
  readonly constant?: { readonly value: CelValue };
  readonly #expression: Expression;
  readonly #run: Evaluate;
  readonly #slots: number;
  readonly #costLimit: number;

  constructor(parts: ProgramParts) {
    this.source = parts.source;
    this.type = parts.type;
    this.references = parts.references;
    this.#expression = parts.expression;
    this.#run = parts.run;
    this.#slots = parts.slots;
    this.#costLimit = parts.costLimit;
    const constant = parts.pure && parts.references.length === 0 ? this.#attempt() : undefined;
    if (constant) this.constant = constant;
  }

  evaluate(activation: Activation): CelValue {
    const frame: Frame = { locals: this.#slots === 0 ? none : new Array(this.#slots), budget: this.#costLimit };
    try {
      return this.#run(activation as Variables, frame);
    } catch (error) {
      throw located(error, this.#expression);
    }
  }

  #attempt(): { readonly value: CelValue } | undefined {
    try {
      return { value: this.evaluate({}) };
    } catch {
      return undefined;
    }
  }
}

const none: unknown[] = [];
