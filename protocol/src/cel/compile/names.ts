import type { Expression } from '../ast.ts';

/** The dotted form of a chain of names, undefined for anything else. */
export function dottedName(node: Expression): string | undefined {
  if (node.kind === 'identifier') return node.name;
  if (node.kind !== 'select' || node.optional) return undefined;
  const operand = dottedName(node.operand);
  return operand === undefined ? undefined : `${operand}.${node.field}`;
}
