import type { Expression } from './ast.ts';
import { type Evaluate, type Frame, located, type Variables } from './compile/code.ts';
import type { Activation, CelProgram, CelReference, CelValue } from './engine.ts';
import type { Generated } from './generate/index.ts';
import type { CelType } from './types.ts';

/** Evaluations after which code is generated: few enough to matter soon, many enough to spare what runs once. */
const hotAfter = 100;
/** Generated code that hands over to the closures this often, and more than every fourth time, is dropped. */
const mostHandedOver = 100;

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
  /** Makes a JavaScript function for the common case, where that is allowed and possible. */
  readonly generate: (() => Generated | undefined) | undefined;
}

/** A compiled expression: closures that hold its exact meaning, and generated code for its common case once it is hot. */
export class Program implements CelProgram {
  readonly source: string;
  readonly type: CelType;
  readonly references: readonly CelReference[];
  readonly constant?: { readonly value: CelValue };
  readonly #parts: ProgramParts;
  #generated: Generated | undefined;
  #evaluations = 0;
  #handedOver = 0;

  constructor(parts: ProgramParts) {
    this.source = parts.source;
    this.type = parts.type;
    this.references = parts.references;
    this.#parts = parts;
    const constant = parts.pure && parts.references.length === 0 ? this.#attempt() : undefined;
    if (constant) this.constant = constant;
  }

  evaluate(activation: Activation): CelValue {
    const generated = this.#generated;
    if (generated === undefined) return this.#interpret(activation);
    this.#evaluations++;
    try {
      return generated(activation as Variables);
    } catch {
      if (++this.#handedOver > mostHandedOver && this.#handedOver * 4 > this.#evaluations) this.#generated = undefined;
      return this.#interpret(activation);
    }
  }

  #interpret(activation: Activation): CelValue {
    const { run, slots, costLimit, expression, generate } = this.#parts;
    if (++this.#evaluations === hotAfter) this.#generated = generate?.();
    const frame: Frame = { locals: slots === 0 ? none : new Array(slots), budget: costLimit };
    try {
      return run(activation as Variables, frame);
    } catch (error) {
      throw located(error, expression);
    }
  }

  #attempt(): { readonly value: CelValue } | undefined {
    try {
      return { value: this.#interpret({}) };
    } catch {
      return undefined;
    }
  }
}

const none: unknown[] = [];
