import type { Expression } from './ast.ts';
import { type Evaluate, type Frame, located, type Variables } from './compile/code.ts';
import {
  type Activation,
  CelError,
  type CelPart,
  type CelProgram,
  type CelReference,
  type CelValue,
} from './engine.ts';
import type { Generated } from './generate/index.ts';
import type { IsSame, Repetition } from './repetition.ts';
import type { CelType } from './types.ts';
import { meter, refill } from './values/meter.ts';
import { current, Tape } from './values/tape.ts';

/** Evaluations after which code is generated: few enough to matter soon, many enough to spare what runs once. */
const hotAfter = 100;
/** Generated code that hands over to the closures this often, and more than every fourth time, is dropped. */
const mostHandedOver = 100;
/** An expression that waits is evaluated again and again; all of that may take as many times what one evaluation may. */
const mostRepeated = 4;

/** The closures of an expression. */
export interface Closures {
  readonly run: Evaluate;
  /** How many variables of macros a frame holds. */
  readonly slots: number;
  /** Whether every evaluation gives the same value. */
  readonly constant: boolean;
  /** Whether it calls a function whose value comes later. */
  readonly waits: boolean;
}

/** What a program is made of; each part is made when it is first needed, for validation needs none of them. */
export interface ProgramParts {
  readonly source: string;
  readonly expression: Expression;
  readonly type: CelType;
  readonly costLimit: number;
  /** Whether there are functions whose value comes later. */
  readonly mayWait: boolean;
  references(): readonly CelReference[];
  /** What another evaluation repeats. */
  repetition(): Repetition;
  compile(): Closures;
  read(activation: Activation): readonly CelPart[];
  /** A JavaScript function for the common case; undefined where that is not allowed or not possible. */
  generate(): Generated | undefined;
}

/** A compiled expression: closures that hold its exact meaning, and generated code for its common case once it is hot. */
export class Program implements CelProgram {
  readonly source: string;
  readonly type: CelType;
  readonly #parts: ProgramParts;
  #references: readonly CelReference[] | undefined;
  #closures: Closures | undefined;
  #constant: { readonly value: CelValue } | undefined | null = null;
  #generated: Generated | undefined;
  #evaluations = 0;
  #handedOver = 0;

  constructor(parts: ProgramParts) {
    this.source = parts.source;
    this.type = parts.type;
    this.#parts = parts;
  }

  get references(): readonly CelReference[] {
    this.#references ??= this.#parts.references();
    return this.#references;
  }

  get constant(): { readonly value: CelValue } | undefined {
    if (this.#constant === null) this.#constant = this.#compiled().constant ? this.#fold() : undefined;
    return this.#constant;
  }

  get waits(): boolean {
    return this.#parts.mayWait && this.#compiled().waits;
  }

  async evaluateLater(activation: Activation): Promise<CelValue> {
    const { run, slots } = this.#compiled();
    const tape = new Tape();
    let steps = this.#parts.costLimit * mostRepeated;
    for (;;) {
      const outcome = this.#attempt(() => {
        refill(Math.min(steps, this.#parts.costLimit));
        const most = meter.left;
        const before = current.tape;
        current.tape = tape;
        try {
          return run(activation as Variables, { locals: slots === 0 ? none : new Array(slots) });
        } finally {
          current.tape = before;
          steps -= most - meter.left;
        }
      });
      // Whatever became of an attempt that was suspended: a value was missing.
      const { pending } = tape;
      if (pending === undefined) {
        if ('error' in outcome) throw located(outcome.error, this.#parts.expression);
        return outcome.value;
      }
      await pending;
      tape.rewind();
    }
  }

  evaluate(activation: Activation): CelValue {
    const generated = this.#generated;
    if (generated === undefined) return this.#interpret(activation);
    this.#evaluations++;
    refill(this.#parts.costLimit);
    try {
      return generated(activation as Variables);
    } catch {
      if (++this.#handedOver > mostHandedOver && this.#handedOver * 4 > this.#evaluations) this.#generated = undefined;
      return this.#interpret(activation);
    }
  }

  read(activation: Activation): readonly CelPart[] {
    return this.#parts.read(activation);
  }

  repeats(isSame: IsSame): boolean {
    return this.#parts.repetition().always(isSame);
  }

  failsAgain(error: unknown, isSame: IsSame): boolean {
    const repetition = this.#parts.repetition();
    // The steps of all parts are spent from one budget.
    const isOfPart = error instanceof CelError && error.range.end > 0 && error.reason !== 'cost-limit';
    return isOfPart ? repetition.at(error.range, isSame) : repetition.always(isSame);
  }

  #interpret(activation: Activation): CelValue {
    const { run, slots } = this.#compiled();
    if (++this.#evaluations === hotAfter && !this.waits) this.#generated = this.#parts.generate();
    const frame: Frame = { locals: slots === 0 ? none : new Array(slots) };
    refill(this.#parts.costLimit);
    try {
      return run(activation as Variables, frame);
    } catch (error) {
      throw located(error, this.#parts.expression);
    }
  }

  #compiled(): Closures {
    this.#closures ??= this.#parts.compile();
    return this.#closures;
  }

  #fold(): { readonly value: CelValue } | undefined {
    const outcome = this.#attempt(() => this.#interpret({}));
    return 'value' in outcome ? outcome : undefined;
  }

  #attempt(work: () => CelValue): { readonly value: CelValue } | { readonly error: unknown } {
    try {
      return { value: work() };
    } catch (error) {
      return { error };
    }
  }
}

const none: unknown[] = [];
