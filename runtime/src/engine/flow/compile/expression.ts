import { CelError, type CelReference, type CelValue } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import { remedyFor } from './undecoded-body.ts';

/** What flows need of a compiled expression; one that did not compile throws when it is evaluated. */
export interface Program {
  readonly source: string;
  readonly references: readonly CelReference[];
  readonly constant?: { readonly value: CelValue } | undefined;
  /** It calls functions whose values come later, and is evaluated by `evaluateLater` alone. Absent: it does not. */
  readonly waits?: boolean | undefined;
  evaluate(activation: object): CelValue;
  evaluateLater?(activation: object): Promise<CelValue>;
  /** As of `CelProgram`. */
  repeats(isSame: IsSame): boolean;
  failsAgain(error: unknown, isSame: IsSame): boolean;
}

type IsSame = (path: readonly string[]) => boolean;

/** What is evaluated with a scope that knows which of its variables are the same when its message comes again. */
export interface Repeating {
  repeats(scope: object): boolean;
}

/** A scope without `isSame` may read something else in another try of the message. */
function sameIn(scope: object): IsSame {
  const { isSame } = scope as { readonly isSame?: IsSame };
  return isSame === undefined ? () => false : (path) => isSame.call(scope, path);
}

/** The failure of a value that its place cannot use; the message itself is the reason where it gives the same again. */
export function unusable(text: string, made: Repeating | undefined, scope: object): Failure {
  const passes = made?.repeats(scope) === true ? 'never' : 'later';
  return new Failure('expression_failed', text, { passes });
}

/** A program at its place in a flow, so that its failures name their place. */
export class Expression {
  readonly program: Program;
  /** `transform: email`, `accept: when`. */
  readonly title: string;
  /** Its value comes later: `value` and `decides` give promises. */
  readonly waits: boolean;

  constructor(program: Program, title: string) {
    this.program = program;
    this.title = title;
    this.waits = program.waits === true;
  }

  /** Throws `expression_failed`. */
  evaluate(scope: object): unknown {
    try {
      return this.program.evaluate(scope);
    } catch (error) {
      throw this.#failed(error, scope);
    }
  }

  /** The same where the place waits: a promise for an expression that calls functions whose values come later. */
  value(scope: object): unknown {
    return this.waits ? this.later(scope) : this.evaluate(scope);
  }

  protected async later(scope: object): Promise<unknown> {
    try {
      return await this.program.evaluateLater?.(scope);
    } catch (error) {
      throw this.#failed(error, scope);
    }
  }

  /** The same, but undefined for a plain path that does not exist; a failing computation still throws. */
  evaluateIfPresent(scope: object): unknown {
    try {
      return this.program.evaluate(scope);
    } catch (error) {
      if (isAbsence(error) && plainPath.test(this.program.source)) return undefined;
      throw this.#failed(error, scope);
    }
  }

  /** For gates: anything but true and false is refused. */
  isTrue(scope: object): boolean {
    return this.#decided(this.evaluate(scope), scope);
  }

  /** The same where the place waits. */
  decides(scope: object): boolean | Promise<boolean> {
    return this.waits ? this.later(scope).then((value) => this.#decided(value, scope)) : this.isTrue(scope);
  }

  #decided(value: unknown, scope: object): boolean {
    if (value === true) return true;
    if (value === false) return false;
    throw unusable(`${this.title} must give true or false, not ${kindOf(value)}`, this, scope);
  }

  /** Whether the expression reads this path or something below or above it; `['output']` is all of `output`. */
  reads(path: readonly string[]): boolean {
    return this.program.references.some((reference) =>
      path.every((name, at) => at >= reference.path.length || reference.path[at] === name),
    );
  }

  /** Whether it gives the same value, or fails in the same way, when the message of the scope comes again. */
  repeats(scope: object): boolean {
    return this.program.repeats(sameIn(scope));
  }

  #failed(error: unknown, scope: object): Failure {
    if (error instanceof Failure) return error;
    const message = error instanceof Error ? error.message : String(error);
    const passes = this.program.failsAgain(error, sameIn(scope)) ? 'never' : 'later';
    const remedy = error instanceof CelError ? remedyFor(error, this.program.references, scope) : '';
    return new Failure('expression_failed', `${this.title}: ${message}${remedy}`, { cause: error, passes });
  }
}

/** Names and literal indexes in sequence: `input.headers['x-sequence']`. */
const plainPath = /^\s*[A-Za-z_]\w*(\s*\.\s*[A-Za-z_]\w*|\s*\[\s*(\d+|'[^'\\]*'|"[^"\\]*")\s*\])*\s*$/;

/** In a plain path, only an index can be out of range: when the list is shorter. */
const absences: ReadonlySet<CelError['reason']> = new Set(['no-such-key', 'no-such-field', 'out-of-range']);

function isAbsence(error: unknown): boolean {
  return error instanceof CelError && absences.has(error.reason);
}

/** What a value is, for messages that must not show it. */
export function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  switch (typeof value) {
    case 'string':
      return value === '' ? 'an empty text' : 'a text';
    case 'number':
    case 'bigint':
      return 'a number';
    case 'boolean':
      return 'a boolean';
    default:
      return 'an object';
  }
}
