import { Fields } from '@svc/protocol/cel';
import type { WatchedRule } from '../../../foundation/contracts/probe.ts';
import type { Frame, Shaping } from '../message/frame.ts';
import type { RuleWatch } from '../message/part.ts';
import { watchedAll } from '../message/watched.ts';
import { whenDone } from '../message/when-done.ts';
import type { Expression } from './expression.ts';

type Values = Record<string, unknown>;
type Decide = (frame: Frame) => boolean;

/** Fields with an expression each, evaluated in written order. */
export class Mapping implements Shaping {
  readonly names: readonly string[];
  readonly expressions: readonly Expression[];

  constructor(fields: readonly { readonly name: string; readonly expression: Expression }[]) {
    this.names = fields.map(({ name }) => name);
    this.expressions = fields.map(({ expression }) => expression);
  }

  /** The fields as they are announced to a probe. */
  get rules(): readonly WatchedRule[] {
    return this.names.map((target, index) => ({
      index,
      target,
      expression: (this.expressions[index] as Expression).program.source,
    }));
  }

  /** Whether the value of any field comes later: only the watched variant waits for it. */
  get waits(): boolean {
    return this.expressions.some((expression) => expression.waits);
  }

  get isEmpty(): boolean {
    return this.names.length === 0;
  }

  /** An empty object that takes the fields. */
  start(): Values {
    return new Fields();
  }

  /** Evaluates every field into `into`, which the expressions may be able to see growing, and into `also`. */
  fill(scope: object, into: Values, also?: Values): Values {
    const { names, expressions } = this;
    for (let at = 0; at < names.length; at++) {
      const value = (expressions[at] as Expression).evaluate(scope);
      into[names[at] as string] = value;
      if (also !== undefined) also[names[at] as string] = value;
    }
    return into;
  }

  /** Evaluates the requested fields; without a selection, all of them. */
  fillOnly(scope: Frame, into: Values, wanted: readonly (Decide | undefined)[]): void {
    const { names, expressions } = this;
    for (let at = 0; at < names.length; at++)
      if (wanted[at]?.(scope) ?? true) into[names[at] as string] = (expressions[at] as Expression).evaluate(scope);
  }

  /** The same with every field announced as a rule, including those that are not requested. */
  fillWatched(
    scope: object,
    into: Values,
    watch: RuleWatch,
    also?: Values,
    wanted?: readonly (Decide | undefined)[],
  ): Values | Promise<Values> {
    const works = this.names.map((name, at) => () => {
      if (wanted?.[at]?.(scope as Frame) === false) return undefined;
      return whenDone((this.expressions[at] as Expression).value(scope), (value) => {
        into[name] = value;
        if (also !== undefined) also[name] = value;
        return value;
      });
    });
    return whenDone(watchedAll(watch, scope, works), () => into);
  }

  repeats(wanted: string | undefined, scope: object, below?: Shaping): boolean {
    const { isSame } = scope as Pick<Frame, 'isSame'>;
    const known = new Map<string, boolean>();
    const repeats = (field: string | undefined): boolean => {
      if (field === undefined) return [...known.values()].every(Boolean) && (below?.repeats(undefined, scope) ?? true);
      return known.get(field) ?? below?.repeats(field, scope) ?? true;
    };
    // A field sees those above it.
    for (const [at, { program }] of this.expressions.entries())
      known.set(
        this.names[at] as string,
        program.repeats((path) => (path[0] === 'output' ? repeats(path[1]) : isSame.call(scope, path))),
      );
    return repeats(wanted);
  }

  /** Whether any field reads this path. */
  reads(path: readonly string[]): boolean {
    return this.expressions.some((expression) => expression.reads(path));
  }
}
