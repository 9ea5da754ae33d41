import { Failure } from '../../../foundation/errors/failure.ts';
import { functions } from '../functions/functions.ts';
import { fieldOf, isMap, isTrue, kindOf } from '../functions/values.ts';
import type { Run } from '../run.ts';
import type { Command, Operand, Pipeline } from '../syntax/nodes.ts';
import { TemplateProblem } from '../syntax/problem.ts';
import type { Scope } from './scope.ts';

/** Gives the value of an expression. Throws a Failure. */
export type Evaluate = (run: Run) => unknown;

/** What expressions of a template are compiled with. */
export interface ExpressionContext {
  readonly scope: Scope;
  /** Functions may follow `|`. */
  readonly pipes: boolean;
  /** Names the template in messages. */
  readonly name: string;
}

/** The value of a pipeline, without what it declares. Throws a TemplateProblem. */
export function compilePipeline(pipeline: Pipeline, context: ExpressionContext): Evaluate {
  const { commands, line } = pipeline;
  if (commands.length > 1 && !context.pipes)
    throw new TemplateProblem('there are no pipes here: write f (g .x) instead of .x | g | f', line);
  return commands.reduce<Evaluate | undefined>(
    (piped, command) => compileCommand(command, piped, line, context),
    undefined,
  ) as Evaluate;
}

function compileCommand(
  { operands }: Command,
  piped: Evaluate | undefined,
  line: number,
  context: ExpressionContext,
): Evaluate {
  const [first, ...others] = operands as [Operand, ...Operand[]];
  if (first.kind !== 'function') return compileOperand(first, line, context);
  const given = others.map((operand) => compileOperand(operand, line, context));
  if (piped !== undefined) given.push(piped);
  return compileFunction(first.name, given, line, context);
}

function compileOperand(operand: Operand, line: number, context: ExpressionContext): Evaluate {
  switch (operand.kind) {
    case 'dot':
      return fieldsOf((run) => run.dot, operand.path, line, context);
    case 'variable': {
      const place = context.scope.placeOf(operand.name, line);
      return fieldsOf((run) => run.variables[place], operand.path, line, context);
    }
    case 'constant': {
      const { value } = operand;
      return () => value;
    }
    case 'function':
      return compileFunction(operand.name, [], line, context);
    case 'group':
      return fieldsOf(compilePipeline(operand.pipeline, context), operand.path, line, context);
  }
}

/** A field of what is absent is absent. */
function fieldsOf(
  base: Evaluate,
  path: readonly string[],
  line: number,
  { name: template }: ExpressionContext,
): Evaluate {
  return path.reduce<Evaluate>(
    (of, name) => (run) => {
      const value = of(run);
      if (value === null) return null;
      if (isMap(value)) return fieldOf(value, name);
      throw executionFailure(template, line, `${kindOf(value)} has no field "${name}"`);
    },
    base,
  );
}

function compileFunction(
  name: string,
  given: readonly Evaluate[],
  line: number,
  { name: template }: ExpressionContext,
): Evaluate {
  if (name === 'and' || name === 'or') {
    if (given.length === 0) throw new TemplateProblem(`${name} needs a value`, line);
    const ends = name === 'or';
    return (run) => {
      let value: unknown = null;
      for (const each of given) {
        value = each(run);
        if (isTrue(value) === ends) return value;
      }
      return value;
    };
  }
  const called = functions.get(name);
  if (called === undefined) throw new TemplateProblem(`there is no function "${name}"`, line);
  const { least, most, call } = called;
  if (given.length < least || given.length > most)
    throw new TemplateProblem(
      `${name} takes ${least === most ? least : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`} values, and has ${given.length}`,
      line,
    );
  return (run) => {
    try {
      return call(given.map((each) => each(run)));
    } catch (error) {
      if (error instanceof Failure) throw error;
      throw executionFailure(template, line, (error as Error).message);
    }
  };
}

/** Why a template cannot be printed with the values that it was given. */
export function executionFailure(template: string, line: number, message: string): Failure {
  return new Failure('expression_failed', `${template}, line ${line}: ${message}`);
}
