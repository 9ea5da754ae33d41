import { type CelEngine, type CelProgram, type Kind, kindOf } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { variablesOf } from '../../../engine/flow/scope.ts';
import { createExpressionEngine } from '../../../engine/plan/engine.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { mask, namesCredential } from '../../../foundation/observe/mask.ts';
import { askedLimits, type Secrecy } from './snapshot.ts';

/** The variables of a client's expressions: those of a transform, and those that exist only in some places. */
const everywhere = ['input', 'output', 'step', 'enriched', 'captured', 'error', 'lock'];
const variables = variablesOf(everywhere);

/** Expressions that are kept compiled. */
const mostKept = 2_000;

export type CompiledText = { readonly program: CelProgram } | { readonly problem: string };

/** Compiles and evaluates what clients write: expressions of the flow language, which change nothing and end. */
export class Evaluator {
  readonly #create: () => CelEngine;
  #engine: CelEngine;
  /** How many expressions earlier engines compiled. */
  #earlier = 0;

  constructor(create: () => CelEngine) {
    this.#create = create;
    this.#engine = create();
  }

  /** How many expressions were compiled. */
  get compiled(): number {
    return this.#earlier + this.#engine.parseCount;
  }

  /** `extra`: variables that exist only in the place where the expression is read. */
  compile(source: string, extra: readonly string[] = []): CompiledText {
    if (this.#engine.parseCount >= mostKept) {
      // An engine keeps what it compiled; clients may write without limit.
      this.#earlier += this.#engine.parseCount;
      this.#engine = this.#create();
    }
    const readable = extra.length === 0 ? variables : variablesOf([...everywhere, ...extra]);
    const compiled = this.#engine.compile(source, { variables: readable });
    if (compiled.ok) return { program: compiled.program };
    const found = compiled.problems.find(({ severity }) => severity === 'error') ?? compiled.problems[0];
    return { problem: found?.message ?? 'the expression is not valid' };
  }

  /** The value as JSON, hidden members masked, with its CEL type. Throws a CelError when the evaluation fails. */
  evaluate(program: CelProgram, scope: object, secrecy: Secrecy): { readonly result: unknown; readonly type: Kind } {
    const value = program.evaluate(scope);
    return { result: secrecy.show(value, askedLimits) ?? null, type: kindOf(value) };
  }
}

/**
 * The engine of clients. `env()` answers only the names that the configuration uses, those that hold credentials masked as
 * everywhere outside development.
 */
export function clientEngine(
  project: () => Project | undefined,
  environment: Readonly<Record<string, string | undefined>>,
  clock: Clock,
): CelEngine {
  const env = (name: string) => {
    if (!usedNames(project()).has(name) || environment[name] === undefined) return undefined;
    return namesCredential(name) ? mask : environment[name];
  };
  return createExpressionEngine(env, clock);
}

/** Names of environment variables that any file asks for. */
function usedNames(project: Project | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { text } of project?.files ?? [])
    for (const [, name] of text.matchAll(/\benv\(\s*\\?["']([^"'\\]+)/g)) names.add(name as string);
  return names;
}
