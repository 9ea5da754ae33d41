import type { Expression } from '../ast.ts';
import type { Variables } from '../compile/code.ts';
import type { CompilerOptions } from '../compile/compiler.ts';
import { Generator, NotGenerated, parameterNames } from './generator.ts';
import { helperValues } from './support.ts';

/** A generated function: the value, or an exception that says nothing but that the closures must decide. */
export type Generated = (variables: Variables) => unknown;

/** The body of a function of `v` and of `parameterNames`, with the constants it reads; undefined when a part is left to closures. */
export function generateSource(
  expression: Expression,
  options: CompilerOptions,
): { readonly body: string; readonly constants: readonly unknown[] } | undefined {
  const generator = new Generator(options);
  try {
    return { body: generator.body(expression), constants: generator.constants };
  } catch (error) {
    if (error instanceof NotGenerated) return undefined;
    throw error;
  }
}

/** The expression as a JavaScript function; undefined when a part is left to closures, or a content policy forbids code. */
export function generate(expression: Expression, options: CompilerOptions): Generated | undefined {
  const source = generateSource(expression, options);
  if (!source) return undefined;
  try {
    const make = new Function(...parameterNames, `'use strict'; return function (v) {\n${source.body}\n};`);
    return make(source.constants, ...helperValues) as Generated;
  } catch {
    return undefined;
  }
}

export { parameterNames };
