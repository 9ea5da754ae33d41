import { Fields } from '@svc/protocol/cel';
import type { Expression } from './expression.ts';

/**
 * The values that an expression reads of a scope, by path (`input.kind`); undefined when the scope has no such member.
 * Variables of its own loops are excluded.
 */
export function valuesRead({ program }: Expression, scope: object): Readonly<Record<string, unknown>> {
  const values = new Fields();
  for (const { path } of program.references) values[path.join('.')] = valueAt(scope, path);
  return values;
}

function valueAt(scope: object, [variable = '', ...path]: readonly string[]): unknown {
  // Variables of a frame are accessors of its class.
  let value = variable in scope ? (scope as Readonly<Record<string, unknown>>)[variable] : undefined;
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    if (value instanceof Map) value = value.get(name);
    else value = Object.hasOwn(value, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  }
  return value;
}
