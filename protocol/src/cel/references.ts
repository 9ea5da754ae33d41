import type { Expression } from './ast.ts';
import type { CelReference } from './engine.ts';
import { typeValues } from './values/type-value.ts';
import { partsOf } from './walk.ts';

export interface ReferenceOptions {
  readonly dialect: 'product' | 'strict';
  /** Whether a dotted name is a function, whose namespace is not a variable. */
  isFunction(name: string): boolean;
}

/**
 * The paths that an expression reads, in written order. Variables of macros are not among them. A path goes
 * through fields and constant text indexes and ends at the first index that is computed.
 */
export function referencesOf(
  node: Expression,
  options: ReferenceOptions,
  locals: ReadonlySet<string> = new Set(),
): readonly CelReference[] {
  const path = pathOf(node, locals);
  if (path) return typeValues.has(path.path.join('.')) ? [] : [path];
  return partsOf(node, options.dialect).flatMap((part) => {
    if (isNamespace(part.node, node, options, locals)) return [];
    return referencesOf(
      part.node,
      options,
      part.declares.length === 0 ? locals : new Set([...locals, ...part.declares.map(({ name }) => name)]),
    );
  });
}

/** The path of a chain that starts at a variable; undefined for other nodes and for those with a computed index. */
function pathOf(node: Expression, locals: ReadonlySet<string>): CelReference | undefined {
  if (node.kind === 'identifier') {
    if (node.name === '' || (!node.absolute && locals.has(node.name))) return undefined;
    return { path: [node.name], start: node.start, end: node.end };
  }
  if (node.kind !== 'select' && node.kind !== 'index') return undefined;
  const key = node.kind === 'select' ? node.field : constantKey(node.index);
  const operand = key === undefined ? undefined : pathOf(node.operand, locals);
  if (!operand || key === undefined) return undefined;
  return key === '' ? operand : { path: [...operand.path, key], start: node.start, end: node.end };
}

function constantKey(index: Expression): string | undefined {
  return index.kind === 'literal' && typeof index.value === 'string' ? index.value : undefined;
}

/** Whether `part` is the `math` of `math.ceil(…)`. */
export function isNamespace(
  part: Expression,
  whole: Expression,
  { isFunction }: ReferenceOptions,
  locals: ReadonlySet<string>,
): boolean {
  if (whole.kind !== 'call' || part !== whole.target || part.kind !== 'identifier') return false;
  return !locals.has(part.name) && isFunction(`${part.name}.${whole.name}`);
}
