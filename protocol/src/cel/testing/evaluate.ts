import { createCelEngine } from '../create-engine.ts';
import { CelError, type CelProgram, type CompileOptions, type EngineOptions } from '../engine.ts';
import { testEnvironment } from './environment.ts';

/** Compiles an expression that must be valid. */
export function compile(source: string, options?: CompileOptions, engine?: Partial<EngineOptions>): CelProgram {
  const compiled = createCelEngine({ environment: testEnvironment, ...engine }).compile(source, options);
  if (compiled.ok) return compiled.program;
  throw new Error(`${source}: ${compiled.problems.map(({ message }) => message).join('; ')}`);
}

/** The value of an expression in both forms: closures, and generated code. They must agree, errors included. */
export function evaluate(source: string, variables: object = {}, engine?: Partial<EngineOptions>): unknown {
  const program = compile(source, undefined, engine);
  const cold = attempt(program, variables);
  for (let count = 0; count < 150; count++) attempt(program, variables);
  const hot = attempt(program, variables);
  if (describe(cold) !== describe(hot))
    throw new Error(`${source}: closures ${describe(cold)}, generated ${describe(hot)}`);
  if ('error' in cold) throw cold.error;
  return cold.value;
}

/** The error of an expression that fails, with the text it points at. */
export function failure(source: string, variables: object = {}): { reason: string; message: string; at: string } {
  try {
    evaluate(source, variables);
  } catch (error) {
    if (!(error instanceof CelError)) throw error;
    return { reason: error.reason, message: error.message, at: source.slice(error.range.start, error.range.end) };
  }
  throw new Error(`${source} does not fail`);
}

/** The problems of an expression: severity, message and the text each points at. */
export function problems(source: string, options?: CompileOptions): string[] {
  const compiled = createCelEngine({ environment: testEnvironment }).compile(source, options);
  const found = compiled.ok ? compiled.warnings : compiled.problems;
  return found.map(({ severity, message, range, suggestion }) => {
    const place = source.slice(range.start, range.end);
    return `${severity} ${message} [${place}]${suggestion === undefined ? '' : ` -> ${suggestion}`}`;
  });
}

type Attempt = { readonly value: unknown } | { readonly error: unknown };

function attempt(program: CelProgram, variables: object): Attempt {
  try {
    return { value: program.evaluate(variables) };
  } catch (error) {
    return { error };
  }
}

function describe(result: Attempt): string {
  const write = (_: string, value: unknown): unknown =>
    typeof value === 'bigint'
      ? `${value}n`
      : Object.is(value, Number.NaN)
        ? 'NaN'
        : value instanceof Map
          ? [...value]
          : value;
  if (!('error' in result)) return JSON.stringify(result.value, write) ?? 'undefined';
  return result.error instanceof CelError ? JSON.stringify(result.error) + result.error.message : String(result.error);
}
