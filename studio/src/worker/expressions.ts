import {
  type CelEngine,
  CelError,
  type CelErrorReason,
  type CelProgram,
  createCelEngine,
  dyn,
  kindOf,
  toJson,
} from '@svc/protocol/cel';

/** What expressions of flows read, by name. */
export type Scope = Readonly<Record<string, unknown>>;

/** What an expression gives, or why it gives nothing; `reason` where it is one that runs, and what it failed by. */
export type Evaluated =
  | { readonly value: unknown; readonly type: string }
  | { readonly error: string; readonly reason?: CelErrorReason | undefined };

/** Expressions that are kept compiled. */
const mostKept = 2_000;
/** Work of one evaluation: what people look at while they write must not hold up the check of their text. */
const costLimit = 100_000;

/**
 * Evaluates expressions of flows over values that are known here: those of runs that have ended, and of samples. They
 * change nothing, and no service is asked. Values come as JSON, so that whole numbers are doubles.
 */
export class Expressions {
  #engine: CelEngine = create();

  evaluate(source: string, scope: Scope): Evaluated {
    const program = this.#compile(source, Object.keys(scope));
    if (typeof program === 'string') return { error: program };
    try {
      const value = program.evaluate(scope);
      return { value: toJson(value) ?? null, type: kindOf(value) };
    } catch (error) {
      const reason = error instanceof CelError ? error.reason : undefined;
      return { error: error instanceof Error ? error.message : String(error), reason };
    }
  }

  /** The scopes of which a condition is true. Throws an Error that says why it cannot be a condition. */
  filter<T extends Scope>(source: string, names: readonly string[], scopes: readonly T[]): readonly T[] {
    const program = this.#compile(source, names);
    if (typeof program === 'string') throw new Error(program);
    return scopes.filter((scope) => {
      try {
        return program.evaluate(scope) === true;
      } catch {
        // What a scope does not have makes no condition true.
        return false;
      }
    });
  }

  #compile(source: string, extra: readonly string[]): CelProgram | string {
    if (this.#engine.parseCount >= mostKept) this.#engine = create();
    const names = new Set([...everywhere, ...extra]);
    const variables = [...names].map((name) => ({ name, type: dyn }));
    const compiled = this.#engine.compile(source, { variables });
    if (compiled.ok) return compiled.program;
    const found = compiled.problems.find(({ severity }) => severity === 'error') ?? compiled.problems[0];
    return found?.message ?? 'the expression is not valid';
  }
}

const everywhere = ['input', 'output', 'step', 'enriched', 'captured', 'error'];

function create(): CelEngine {
  return createCelEngine({
    costLimit,
    environment: {
      now: () => Date.now(),
      uuid: () => crypto.randomUUID(),
      env: () => undefined,
      sha256: () => {
        throw new Error('a digest is computed by the service alone');
      },
    },
  });
}
