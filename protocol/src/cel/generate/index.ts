import type { Expression } from '../ast.ts';
import type { Variables } from '../compile/code.ts';
import type { CompilerOptions } from '../compile/compiler.ts';
import { Generator, NotGenerated, parameterNames } from './generator.ts';
import { helperValues } from './helpers.ts';

/** A generated function: the value, or an exception that says nothing but that the closures must decide. */
export type Generated = (variables: Variables) => unknown;

/** The expression as a JavaScript function, undefined when a part of it is left to closures or code may not be generated. */
export function generate(expression: Expression, options: CompilerOptions, costLimit: number): Generated | undefined {
  const generator = new Generator(options);
  try {
    const body = generator.body(expression);
    const make = new Function(...parameterNames, `'use strict'; return function (v) {\n${body}\n};`);
    return make(generator.constants, costLimit, ...helperValues) as Generated;
  } catch (error) {
    // A content policy that forbids generated code shows as an EvalError.
    if (error instanceof NotGenerated || error instanceof EvalError) return undefined;
    throw error;
  }
}
