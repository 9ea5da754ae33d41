import type { CallExpression, Expression } from './ast.ts';
import { Checker } from './check/checker.ts';
import { assignable, typeName } from './check/relations.ts';
import { Compiler, type CompilerOptions } from './compile/compiler.ts';
import { resolveCall } from './compile/resolve.ts';
import type { CelEngine, CelProblem, Compiled, CompileOptions, EngineOptions } from './engine.ts';
import { FunctionTable } from './function-table.ts';
import { generate } from './generate/index.ts';
import { parseTolerant } from './parser.ts';
import { type Closures, Program } from './program.ts';
import { readParts } from './reading.ts';
import { referencesOf } from './references.ts';
import { Repetition } from './repetition.ts';
import { dyn } from './types.ts';
import { withArticle } from './values/kind.ts';

const defaultCostLimit = 1_000_000;
/** Results kept; beyond, the oldest are forgotten. */
const mostKept = 20_000;

/** An engine with its own functions and cache. */
export function createCelEngine(options: EngineOptions): CelEngine {
  return new Engine(options);
}

class Engine implements CelEngine {
  readonly #dialect: 'product' | 'strict';
  readonly #costLimit: number;
  readonly #functions: FunctionTable;
  readonly #kept = new Map<string, { readonly options: CompileOptions; readonly compiled: Compiled }[]>();
  readonly #generateCode: boolean;
  #parseCount = 0;

  constructor({ environment, dialect = 'product', costLimit = defaultCostLimit, generateCode = true }: EngineOptions) {
    this.#dialect = dialect;
    this.#costLimit = costLimit;
    this.#generateCode = generateCode;
    this.#functions = new FunctionTable({ environment, costLimit }, dialect);
  }

  get parseCount(): number {
    return this.#parseCount;
  }

  compile(source: string, options: CompileOptions = {}): Compiled {
    const kept = this.#kept.get(source) ?? [];
    const known = kept.find((entry) => equalOptions(entry.options, options));
    if (known) return known.compiled;
    const compiled = this.#compile(source, options);
    kept.push({ options, compiled });
    this.#kept.set(source, kept);
    if (this.#kept.size > mostKept) this.#kept.delete(this.#kept.keys().next().value as string);
    return compiled;
  }

  #compile(
    source: string,
    { variables, expect, functions: host, waits = false, check = true }: CompileOptions,
  ): Compiled {
    this.#parseCount++;
    const dialect = this.#dialect;
    const { expression, problems } = parseTolerant(source, dialect);
    if (problems.some(isError)) return { ok: false, problems };

    const functions = this.#functions.with(host);
    const checker = new Checker({ dialect, functions, variables, waits });
    const type = check ? checker.check(expression) : dyn;
    if (expect && !assignable(type, expect))
      checker.problem(
        `the result is ${withArticle(typeName(type))}, ${withArticle(typeName(expect))} is expected`,
        expression,
      );
    const found = [...problems, ...checker.problems].sort((one, two) => one.range.start - two.range.start);
    if (found.some(isError)) return { ok: false, problems: found };

    const names = variables && new Set(variables.map(({ name }) => name));
    const settings: CompilerOptions = { dialect, functions, isVariable: names && ((name) => names.has(name)) };
    const costLimit = this.#costLimit;
    const reference = { dialect, isFunction: (name: string) => functions.knows(name) };
    const compile = (node: Expression): Closures => {
      const compiler = new Compiler(settings);
      const { run } = compiler.compile(node);
      return { run, slots: compiler.slots, constant: compiler.constant, waits: compiler.waits };
    };
    const program = new Program({
      source,
      expression,
      type,
      costLimit,
      mayWait: functions.hasLater,
      references: () => referencesOf(expression, reference),
      repetition: () => new Repetition(expression, { ...reference, isPure: (call) => isPure(call, settings) }),
      compile: () => compile(expression),
      read: (activation) => readParts(expression, { ...reference, costLimit, compile }, activation),
      generate: () => (this.#generateCode ? generate(expression, settings) : undefined),
    });
    return { ok: true, program, warnings: found };
  }
}

/** A function that does not exist fails whenever it is called. */
function isPure(call: CallExpression, { functions, isVariable = () => false }: CompilerOptions): boolean {
  const resolved = resolveCall(call, functions, isVariable);
  if (resolved.kind === 'unknown') return true;
  return resolved.kind === 'host' ? resolved.host.pure : resolved.known.pure;
}

function isError({ severity }: CelProblem): boolean {
  return severity === 'error';
}

function equalOptions(one: CompileOptions, other: CompileOptions): boolean {
  return (
    one.check === other.check &&
    (one.waits ?? false) === (other.waits ?? false) &&
    equalLists(one.functions, other.functions, (a, b) => a === b) &&
    equalJson(one.expect, other.expect) &&
    equalLists(one.variables, other.variables, (a, b) => a === b || (a.name === b.name && equalJson(a.type, b.type)))
  );
}

function equalLists<T>(
  one: readonly T[] | undefined,
  other: readonly T[] | undefined,
  equal: (a: T, b: T) => boolean,
): boolean {
  if (one === other) return true;
  return one?.length === other?.length && one !== undefined && one.every((value, at) => equal(value, other?.[at] as T));
}

function equalJson(one: unknown, other: unknown): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other);
}
