import {
  bool,
  type CelEngine,
  CelError,
  type CelProblem,
  type CelType,
  type Compiled,
  type CompileOptions,
  dyn,
  type FunctionImplementation,
  int,
  list,
  map,
  string,
  type VariableDeclaration,
} from '@svc/protocol/cel';
import type { CelSource } from '@svc/protocol/schema';
import { Expression, type Program } from '../flow/compile/expression.ts';
import { variablesOf } from '../flow/scope.ts';

const expected: Readonly<Record<NonNullable<CelSource['gives']>, CelType>> = {
  bool,
  int,
  string,
  list: list(dyn),
  map: map(string, dyn),
};

/** What may be read at a place, and what was compiled to be there. */
interface Scope {
  readonly variables: readonly VariableDeclaration[];
  /** By the type that was expected and the text. */
  readonly checked: Map<string, Compiled>;
}

/** Compiles the expressions of one configuration, each text once for each set of variables. */
export class Expressions {
  readonly #engine: CelEngine;
  readonly #functions: readonly FunctionImplementation[] | undefined;
  readonly #scopes = new Map<string, Scope>();
  readonly #programs = new Map<string, Program>();

  /** `functions`: those that the configuration adds. */
  constructor(engine: CelEngine, functions: readonly FunctionImplementation[] = []) {
    this.#engine = engine;
    this.#functions = functions.length === 0 ? undefined : functions;
  }

  /** The expression at its place. One that does not compile fails whenever it is asked; it was warned about before. */
  expression(source: CelSource, title: string, extra: readonly string[] = []): Expression {
    return new Expression(this.#program(source, extra), title);
  }

  /** What compiling says, with types and names checked. */
  check(source: CelSource, extra: readonly string[] = []): Compiled {
    const { variables, checked } = this.#scope(source, extra);
    const key = `${source.gives ?? ''}|${source.waits ?? ''}|${source.source}`;
    let compiled = checked.get(key);
    if (compiled === undefined) {
      compiled = this.#engine.compile(source.source, this.#options(source, variables));
      checked.set(key, compiled);
    }
    return compiled;
  }

  /** The same with what is known of the message. */
  checkTyped(source: CelSource, extra: readonly string[], input: CelType): Compiled {
    const variables = this.#scope(source, extra).variables.map((each) =>
      each.name === 'input' ? { ...each, type: input } : each,
    );
    return this.#engine.compile(source.source, this.#options(source, variables));
  }

  #program(source: CelSource, extra: readonly string[]): Program {
    if (source.constant !== undefined) return constantProgram(source.source, source.constant.value);
    const key = `${[...source.reads, ...extra].join(' ')}|${source.gives ?? ''}|${source.waits ?? ''}|${source.source}`;
    let program = this.#programs.get(key);
    if (program === undefined) {
      program = this.#compile(source, extra);
      this.#programs.set(key, program);
    }
    return program;
  }

  #compile(source: CelSource, extra: readonly string[]): Program {
    const checked = this.check(source, extra);
    if (checked.ok) return checked.program;
    // What only the checker objects to may still work, in a branch or for a message that it does not expect.
    const { variables } = this.#scope(source, extra);
    const { functions, waits } = this.#options(source, variables);
    const lenient = this.#engine.compile(source.source, { variables, functions, waits, check: false });
    return lenient.ok ? lenient.program : failingProgram(source.source, checked.problems);
  }

  #options({ gives, waits }: CelSource, variables: readonly VariableDeclaration[]): CompileOptions {
    return { variables, functions: this.#functions, waits, expect: gives && expected[gives] };
  }

  #scope({ reads }: CelSource, extra: readonly string[]): Scope {
    const names = [...new Set([...reads, ...extra])];
    const key = names.join(' ');
    let scope = this.#scopes.get(key);
    if (scope === undefined) {
      scope = { variables: variablesOf(names), checked: new Map() };
      this.#scopes.set(key, scope);
    }
    return scope;
  }
}

function constantProgram(source: string, value: unknown): Program {
  return {
    source,
    references: [],
    constant: { value },
    evaluate: () => value,
    repeats: () => true,
    failsAgain: () => true,
  };
}

function failingProgram(source: string, problems: readonly CelProblem[]): Program {
  const [first] = problems;
  const message = `the expression is not valid: ${first?.message ?? source}`;
  return {
    source,
    references: [],
    evaluate: () => {
      throw new CelError('invalid-argument', message, first?.range);
    },
    repeats: () => true,
    failsAgain: () => true,
  };
}
