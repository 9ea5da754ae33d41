import { isOperator, type Shape } from '../documents/shape.ts';
import { expressions } from './operators.ts';
import { below, firstProblem, type Problem, unknownOperator } from './said.ts';

/** What is wrong with an expression of the aggregation language. */
export function expressionProblem(shape: Shape, path: string): Problem {
  if (shape.kind === 'list')
    return firstProblem(shape.items.entries(), ([at, item]) => expressionProblem(item, below(path, at)));
  if (shape.kind !== 'map') return undefined;
  const names = [...shape.entries.keys()];
  const operator = names.find(isOperator);
  if (operator !== undefined) {
    if (names.length > 1)
      return `${path || 'the expression'} has ${operator} beside ${names.find((name) => name !== operator)}: an expression has one operator`;
    const problem = unknownOperator(operator, below(path, operator), expressions, 'expressions');
    // What is literal is not evaluated.
    if (problem !== undefined || operator === '$literal') return problem;
  }
  return firstProblem(shape.entries, ([name, item]) => expressionProblem(item, below(path, name)));
}
