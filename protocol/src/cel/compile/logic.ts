import type { BinaryExpression, ConditionalExpression, Expression, UnaryExpression } from '../ast.ts';
import { CelError } from '../engine.ts';
import { kindOf, withArticle } from '../values/kind.ts';
import { type Code, type Evaluate, type Frame, failAt, type Variables } from './code.ts';
import type { Compiler } from './compiler.ts';
import type { Scope } from './scope.ts';

/** `&&` and `||`: an error or a wrong type on one side does not matter when the other side decides. */
export function compileLogical(compiler: Compiler, node: BinaryExpression, scope: Scope): Code {
  const left = compiler.compile(node.left, scope).run;
  const right = compiler.compile(node.right, scope).run;
  const deciding = node.operator === '||';
  return {
    run: (variables, frame) => {
      let value: unknown;
      try {
        value = left(variables, frame);
        if (typeof value !== 'boolean') notBool(node.left, value, node.operator);
      } catch (error) {
        if (isAbsorbable(error) && decides(right, deciding, variables, frame)) return deciding;
        throw error;
      }
      if (value === deciding) return deciding;
      const other = right(variables, frame);
      return typeof other === 'boolean' ? other : notBool(node.right, other, node.operator);
    },
  };
}

export function compileNot(compiler: Compiler, node: UnaryExpression, scope: Scope): Code {
  const operand = compiler.compile(node.operand, scope).run;
  return {
    run: (variables, frame) => {
      const value = operand(variables, frame);
      return typeof value === 'boolean' ? !value : notBool(node.operand, value, '!');
    },
  };
}

export function compileConditional(compiler: Compiler, node: ConditionalExpression, scope: Scope): Code {
  const condition = compiler.compile(node.condition, scope).run;
  const then = compiler.compile(node.then, scope).run;
  const otherwise = compiler.compile(node.otherwise, scope).run;
  return {
    run: (variables, frame) => {
      const value = condition(variables, frame);
      if (value === true) return then(variables, frame);
      return value === false ? otherwise(variables, frame) : notBool(node.condition, value, '?:');
    },
  };
}

/** Whether an error may be outweighed by another operand; a spent budget may not. */
export function isAbsorbable(error: unknown): boolean {
  return error instanceof CelError && error.reason !== 'cost-limit';
}

export function notBool(node: Expression, value: unknown, operator: string): never {
  return failAt(node, 'no-such-overload', `${operator} needs a bool, this is ${withArticle(kindOf(value))}`);
}

function decides(side: Evaluate, deciding: boolean, variables: Variables, frame: Frame): boolean {
  try {
    return side(variables, frame) === deciding;
  } catch (error) {
    if (isAbsorbable(error)) return false;
    throw error;
  }
}
