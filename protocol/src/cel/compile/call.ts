import type { CallExpression } from '../ast.ts';
import type { FunctionImplementation } from '../engine.ts';
import type { KnownFunction } from '../function-table.ts';
import type { Builtin } from '../stdlib/definition.ts';
import { type Code, constantCode, type Evaluate, failAt, located } from './code.ts';
import type { Compiler } from './compiler.ts';
import { dottedName } from './names.ts';
import type { Scope } from './scope.ts';

/** A call of a function, a function in a namespace, or a method. */
export function compileCall(compiler: Compiler, node: CallExpression, scope: Scope): Code {
  const { functions, isVariable } = compiler.options;
  const { target, name } = node;
  const args = node.args.map((argument) => compiler.compile(argument, scope));
  if (!target) {
    const host = functions.host(name);
    if (host) {
      if (!host.pure) compiler.pure = false;
      return {
        run: hostCaller(
          node,
          host,
          args.map(({ run }) => run),
        ),
      };
    }
    const known = functions.call(name, args.length);
    if (!known)
      return {
        run: () =>
          failAt(node.nameRange, 'no-such-overload', `there is no function ${name}() with ${args.length} arguments`),
      };
    return call(compiler, node, known, args);
  }
  const namespace = dottedName(target);
  if (namespace !== undefined && scope.slotOf(rootOf(namespace)) === undefined && !isVariable?.(rootOf(namespace))) {
    const known = functions.call(`${namespace}.${name}`, args.length);
    if (known) return call(compiler, node, known, args);
  }
  const known = functions.method(name, args.length);
  const receiver = compiler.compile(target, scope);
  if (!known)
    return {
      run: () =>
        failAt(node.nameRange, 'no-such-overload', `there is no method ${name}() with ${args.length} arguments`),
    };
  return call(compiler, node, known, [receiver, ...args]);
}

function rootOf(path: string): string {
  const dot = path.indexOf('.');
  return dot < 0 ? path : path.slice(0, dot);
}

function call(compiler: Compiler, node: CallExpression, known: KnownFunction, args: readonly Code[]): Code {
  const constants = args.map(({ constant }) => constant?.value);
  if (!known.pure) compiler.pure = false;
  const work = known.prepare?.(constants) ?? known.work;
  const run = caller(
    node,
    work,
    args.map(({ run }) => run),
  );
  if (!known.pure || !args.every(({ constant }) => constant)) return { run };
  try {
    const value = work(...constants);
    // What is made of constants is constant; lists and maps are made anew for each who receives one.
    return isShareable(value) ? constantCode(value) : { run };
  } catch {
    return { run };
  }
}

function isShareable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) || 'nanoseconds' in value;
}

function hostCaller(node: CallExpression, host: FunctionImplementation, args: readonly Evaluate[]): Evaluate {
  return (variables, frame) => {
    const values = args.map((argument) => argument(variables, frame));
    try {
      return host.invoke(values, variables) ?? null;
    } catch (error) {
      throw located(error, node);
    }
  };
}

function caller(node: CallExpression, work: Builtin, args: readonly Evaluate[]): Evaluate {
  const [first, second] = args;
  if (!first)
    return () => {
      try {
        return work() ?? null;
      } catch (error) {
        throw located(error, node);
      }
    };
  if (!second)
    return (variables, frame) => {
      const one = first(variables, frame);
      try {
        return work(one) ?? null;
      } catch (error) {
        throw located(error, node);
      }
    };
  if (args.length === 2)
    return (variables, frame) => {
      const one = first(variables, frame);
      const two = second(variables, frame);
      try {
        return work(one, two) ?? null;
      } catch (error) {
        throw located(error, node);
      }
    };
  return (variables, frame) => {
    const values = args.map((argument) => argument(variables, frame));
    try {
      return work(...values) ?? null;
    } catch (error) {
      throw located(error, node);
    }
  };
}
