import type { CallExpression } from '../ast.ts';
import { CelError, type FunctionImplementation } from '../engine.ts';
import type { KnownFunction } from '../function-table.ts';
import type { Builtin } from '../stdlib/definition.ts';
import { apart, meter } from '../values/meter.ts';
import { current } from '../values/tape.ts';
import { type Code, constantCode, type Evaluate, failAt, located, sizeCost, spendAt, type Variables } from './code.ts';
import type { Compiler } from './compiler.ts';
import { resolveCall } from './resolve.ts';
import type { Scope } from './scope.ts';

/** A call of a function, a function in a namespace, or a method. */
export function compileCall(compiler: Compiler, node: CallExpression, scope: Scope): Code {
  const { functions, isVariable } = compiler.options;
  const isShadowed = (name: string): boolean => scope.slotOf(name) !== undefined || (isVariable?.(name) ?? false);
  const resolved = resolveCall(node, functions, isShadowed);
  if (resolved.kind === 'unknown') {
    const what = `${node.target ? 'method' : 'function'} ${node.name}() with ${node.args.length} arguments`;
    return { run: () => failAt(node.nameRange, 'no-such-overload', `there is no ${what}`) };
  }
  const operands = resolved.operands.map((operand) => compiler.compile(operand, scope));
  if (resolved.kind === 'function') return call(compiler, node, scope, resolved.known, operands);
  const { host } = resolved;
  if (!host.pure || host.later) compiler.constant = false;
  if (host.later) compiler.waits = true;
  const hosted = hostCaller(
    node,
    host,
    operands.map(({ run }) => run),
  );
  if (!host.later) return { run: host.pure ? hosted : varying(hosted) };
  return { run: host.pure && operands.every(({ constant }) => constant) ? keeping(hosted) : hosted };
}

function call(
  compiler: Compiler,
  node: CallExpression,
  scope: Scope,
  known: KnownFunction,
  args: readonly Code[],
): Code {
  const constants = args.map(({ constant }) => constant?.value);
  if (!known.pure) compiler.constant = false;
  const work = known.prepare?.(constants) ?? known.work;
  const called = caller(
    node,
    work,
    args.map(({ run }) => run),
  );
  const plain = known.pure ? called : varying(called);
  const run = scope.hasFrame ? counted(node, plain) : plain;
  if (!known.pure || !args.every(({ constant }) => constant)) return { run };
  try {
    const value = apart(mostFolded, () => work(...constants));
    // What is made of constants is constant; lists and maps are copied for each receiver.
    return isShareable(value) ? constantCode(value) : { run };
  } catch {
    return { run };
  }
}

/** Steps that computing a constant while compiling may take; beyond, it is computed when the expression runs. */
const mostFolded = 100_000;

/** In a loop, what a function builds counts. */
function counted(node: CallExpression, run: Evaluate): Evaluate {
  return (variables, frame) => {
    const value = run(variables, frame);
    spendAt(node, sizeCost(value));
    return value;
  };
}

function isShareable(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return Object.isFrozen(value) || 'nanoseconds' in value;
}

function hostCaller(node: CallExpression, host: FunctionImplementation, args: readonly Evaluate[]): Evaluate {
  return (variables, frame) => {
    const values = args.map((argument) => argument(variables, frame));
    try {
      if (host.later) return later(host, values, variables) ?? null;
      // It may evaluate other expressions.
      return apart(meter.left, () => host.invoke(values, variables)) ?? null;
    } catch (error) {
      throw located(error, node);
    }
  };
}

function later({ name, invoke }: FunctionImplementation, values: readonly unknown[], variables: Variables): unknown {
  const { tape } = current;
  if (tape === undefined) throw new CelError('invalid-argument', `the value of ${name}() comes later`);
  return tape.later(() => invoke(values, variables));
}

/** In an evaluation that waits, what varies by itself is the same in every attempt. */
function varying(run: Evaluate): Evaluate {
  return (variables, frame) => {
    const { tape } = current;
    return tape === undefined ? run(variables, frame) : tape.now(() => run(variables, frame));
  };
}

/**
 * Calls once what gives the same each time, whatever the message. What is given is JSON, and a receiver may keep and change
 * it. It is on the tape in each attempt, so that all of them ask for the same in the same order.
 */
function keeping(run: Evaluate): Evaluate {
  let kept: { readonly value: unknown } | undefined;
  return (variables, frame) => {
    const known = kept?.value;
    if (kept === undefined) kept = { value: run(variables, frame) };
    else current.tape?.now(() => known);
    const { value } = kept;
    return typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : value;
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
