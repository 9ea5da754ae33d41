import type { Expression } from './expression.ts';
import type { Frame } from './frame.ts';
import type { RuleWatch } from './part.ts';

type Fields = Record<string, unknown>;

/** Fields with an expression each, evaluated in written order. */
export class Mapping {
  readonly names: readonly string[];
  readonly expressions: readonly Expression[];
  /** A field of this name must not reach a prototype; other objects are faster with one. */
  readonly #bare: boolean;

  constructor(fields: readonly { readonly name: string; readonly expression: Expression }[]) {
    this.names = fields.map(({ name }) => name);
    this.expressions = fields.map(({ expression }) => expression);
    this.#bare = this.names.includes('__proto__');
  }

  get isEmpty(): boolean {
    return this.names.length === 0;
  }

  /** An empty object that takes the fields. */
  start(): Fields {
    return this.#bare ? (Object.create(null) as Fields) : {};
  }

  /** Evaluates every field into `into`, which the expressions may be able to see growing, and into `also`. */
  fill(scope: object, into: Fields, also?: Fields): Fields {
    const { names, expressions } = this;
    for (let at = 0; at < names.length; at++) {
      const value = (expressions[at] as Expression).evaluate(scope);
      into[names[at] as string] = value;
      if (also !== undefined) also[names[at] as string] = value;
    }
    return into;
  }

  /** The same with every field announced as a rule. `scope` is what expressions read, if that is not the frame. */
  async fillWatched(
    frame: Frame,
    into: Fields,
    watch: RuleWatch,
    scope: object = frame,
    also?: Fields,
  ): Promise<Fields> {
    for (let at = 0; at < this.names.length; at++) {
      await watch.enter(at, frame);
      try {
        const value = (this.expressions[at] as Expression).evaluate(scope);
        into[this.names[at] as string] = value;
        if (also !== undefined) also[this.names[at] as string] = value;
        watch.leave(at, frame, undefined);
      } catch (error) {
        watch.leave(at, frame, error);
        throw error;
      }
    }
    return into;
  }

  /** Whether any field reads this path. */
  reads(path: readonly string[]): boolean {
    return this.expressions.some((expression) => expression.reads(path));
  }
}
