import type { BinaryExpression, BinaryOperator, UnaryExpression } from '../ast.ts';
import { contains } from '../values/access.ts';
import { type Arithmetic, type ArithmeticOperator, arithmetic, negate } from '../values/arithmetic.ts';
import { equal } from '../values/equality.ts';
import { mustOrder } from '../values/ordering.ts';
import { equalTimes, orderTimes } from '../values/times.ts';
import { at1, at2, type Code, type Evaluate, sizeCost, spendAt } from './code.ts';
import type { Compiler, CompilerOptions } from './compiler.ts';
import type { Scope } from './scope.ts';

type Operator = Exclude<BinaryOperator, '??' | '&&' | '||'>;

/** Comparison, membership and arithmetic. */
export function compileOperator(compiler: Compiler, node: BinaryExpression, operator: Operator, scope: Scope): Code {
  const left = compiler.compile(node.left, scope);
  const right = compiler.compile(node.right, scope);
  switch (operator) {
    case '==':
    case '!=':
      return { run: equality(left, right, operator === '==', compiler.options.dialect) };
    case 'in':
      return { run: membership(node, left, right) };
    case '<':
    case '<=':
    case '>':
    case '>=':
      return { run: comparison(node, operator, left, right, compiler.options.dialect) };
    default:
      return { run: calculation(compiler, node, operator, left, right, scope) };
  }
}

export function compileNegation(compiler: Compiler, node: UnaryExpression, scope: Scope): Code {
  const operand = compiler.compile(node.operand, scope).run;
  return { run: (variables, frame) => at1(node, negate, operand(variables, frame)) };
}

/** The double that represents a constant int without loss, so that doubles meet doubles at run time. */
export function doubleOf({ constant }: Code): number | undefined {
  const value = constant?.value;
  if (typeof value === 'number') return value;
  return typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : undefined;
}

function equality({ run: left }: Code, right: Code, wanted: boolean, dialect: CompilerOptions['dialect']): Evaluate {
  const isEqual = dialect === 'product' ? equalTimes : equal;
  const double = doubleOf(right);
  const other = right.run;
  if (double !== undefined)
    return (variables, frame) => {
      const value = left(variables, frame);
      return (typeof value === 'number' ? value === double : equal(value, double)) === wanted;
    };
  const { constant } = right;
  if (constant) return (variables, frame) => isEqual(left(variables, frame), constant.value) === wanted;
  return (variables, frame) => isEqual(left(variables, frame), other(variables, frame)) === wanted;
}

function membership(node: BinaryExpression, { run: left }: Code, right: Code): Evaluate {
  const list = right.constant?.value;
  if (Array.isArray(list) && list.length > 8 && list.every((element) => typeof element === 'string')) {
    const texts = new Set(list);
    return (variables, frame) => texts.has(left(variables, frame) as string);
  }
  if (Array.isArray(list)) return (variables, frame) => at2(node, contains, left(variables, frame), list);
  const container = right.run;
  return (variables, frame) => at2(node, contains, left(variables, frame), container(variables, frame));
}

type Comparison = '<' | '<=' | '>' | '>=';

/** The comparisons of each dialect. */
export const comparisons: Readonly<
  Record<CompilerOptions['dialect'], Record<Comparison, (left: unknown, right: unknown) => boolean>>
> = { product: comparisonsBy(orderTimes), strict: comparisonsBy(mustOrder) };

function comparisonsBy(order: typeof mustOrder): Record<Comparison, (left: unknown, right: unknown) => boolean> {
  return {
    '<': (left, right) => order(left, right, '<') < 0,
    '<=': (left, right) => order(left, right, '<=') <= 0,
    '>': (left, right) => order(left, right, '>') > 0,
    '>=': (left, right) => order(left, right, '>=') >= 0,
  };
}

const numberComparisons: Record<Comparison, (left: number, right: number) => boolean> = {
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function comparison(
  node: BinaryExpression,
  operator: Comparison,
  left: Code,
  right: Code,
  dialect: CompilerOptions['dialect'],
): Evaluate {
  const compare = comparisons[dialect][operator];
  const compareNumbers = numberComparisons[operator];
  const double = doubleOf(right);
  const [first, second] = [left.run, right.run];
  if (double !== undefined)
    return (variables, frame) => {
      const value = first(variables, frame);
      return typeof value === 'number'
        ? compareNumbers(value, double)
        : at2(node, compare, value, second(variables, frame));
    };
  return (variables, frame) => {
    const one = first(variables, frame);
    const two = second(variables, frame);
    return typeof one === 'number' && typeof two === 'number' ? compareNumbers(one, two) : at2(node, compare, one, two);
  };
}

function calculation(
  compiler: Compiler,
  node: BinaryExpression,
  operator: ArithmeticOperator,
  left: Code,
  right: Code,
  scope: Scope,
): Evaluate {
  const mixed = compiler.options.dialect === 'product';
  const calculate = arithmetic(operator, mixed);
  const double = mixed ? doubleOf(right) : undefined;
  const [first, second] = [left.run, right.run];
  const inLoop = scope.hasFrame && operator === '+';
  return (variables, frame) => {
    const one = first(variables, frame);
    if (typeof one === 'number' && double !== undefined) return at2(node, calculate, one, double);
    const result = fast(operator, one, second(variables, frame), calculate, node);
    if (inLoop) spendAt(node, sizeCost(result));
    return result;
  };
}

function fast(
  operator: ArithmeticOperator,
  one: unknown,
  two: unknown,
  calculate: Arithmetic,
  node: BinaryExpression,
): unknown {
  if (typeof one === 'number' && typeof two === 'number') {
    if (operator === '+') return one + two;
    if (operator === '*') return one * two;
    if (operator === '-') return one - two;
  }
  return at2(node, calculate, one, two);
}
