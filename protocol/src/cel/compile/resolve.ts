import type { CallExpression, Expression } from '../ast.ts';
import type { FunctionImplementation } from '../engine.ts';
import type { FunctionTable, KnownFunction } from '../function-table.ts';
import { dottedName } from './names.ts';

/** What a call means: which function, and the expressions whose values it takes. */
export type ResolvedCall =
  | { readonly kind: 'function'; readonly known: KnownFunction; readonly operands: readonly Expression[] }
  | { readonly kind: 'host'; readonly host: FunctionImplementation; readonly operands: readonly Expression[] }
  | { readonly kind: 'unknown' };

/** Finds the function of a call: `name(…)`, `namespace.name(…)` unless the namespace is a variable, or `receiver.name(…)`. */
export function resolveCall(
  node: CallExpression,
  functions: FunctionTable,
  isVariable: (name: string) => boolean,
): ResolvedCall {
  const { target, name, args } = node;
  if (!target) {
    const host = functions.host(name);
    if (host) return { kind: 'host', host, operands: args };
    return resolved(functions.call(name, args.length), args);
  }
  const namespace = dottedName(target);
  if (namespace !== undefined && !isVariable(namespace.split('.', 1)[0] as string)) {
    const known = functions.call(`${namespace}.${name}`, args.length);
    if (known) return resolved(known, args);
  }
  return resolved(functions.method(name, args.length), [target, ...args]);
}

function resolved(known: KnownFunction | undefined, operands: readonly Expression[]): ResolvedCall {
  return known ? { kind: 'function', known, operands } : { kind: 'unknown' };
}
