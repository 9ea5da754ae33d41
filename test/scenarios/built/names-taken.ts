import { parseAst } from 'vite';

/** A node of a parsed program. */
interface Tree {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** A node and those around it, the nearest first. */
type Place = readonly [Tree, ...Tree[]];

/** Names that a file takes out of what it loads with `import()`; undefined: it uses the module as a whole. */
export interface Taken {
  /** As it is written in the file. */
  readonly from: string;
  readonly names: readonly string[] | undefined;
}

/** What a file of the built program takes out of others. */
export function namesTaken(text: string): readonly Taken[] {
  const found: Taken[] = [];
  visit([parseAst(text) as unknown as Tree], (place) => {
    const [{ type, source }] = place;
    const { value } = (source ?? {}) as { readonly value?: unknown };
    if (type === 'ImportExpression' && typeof value === 'string') found.push({ from: value, names: namesAt(place) });
  });
  return found;
}

function visit(place: Place, see: (place: Place) => void): void {
  see(place);
  for (const child of childrenOf(place[0])) visit([child, ...place], see);
}

function childrenOf(tree: Tree): readonly Tree[] {
  return Object.values(tree).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isTree));
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && typeof (value as Tree).type === 'string';
}

/** The names that are taken of the module that is loaded at a place. */
function namesAt([loading, parent, ...around]: Place): readonly string[] | undefined {
  switch (parent?.type) {
    case 'ParenthesizedExpression':
      return namesAt([parent, ...around] as unknown as Place);
    case 'AwaitExpression':
      return namesOfValue(parent, around);
    case 'MemberExpression':
      return parent['object'] === loading ? namesOfCallback(parent, around) : undefined;
    case 'ArrayExpression':
      return namesOfAll((parent['elements'] as readonly unknown[]).indexOf(loading), around);
    default:
      return undefined;
  }
}

/** `(await import(x)).name`, `const { name } = await import(x)`, or `const all = await import(x)` whose members are used. */
function namesOfValue(value: Tree, [parent, ...around]: readonly Tree[]): readonly string[] | undefined {
  if (parent?.type === 'ParenthesizedExpression') return namesOfValue(parent, around);
  if (parent?.type === 'MemberExpression' && parent['object'] === value) return nameOf(parent);
  if (parent?.type === 'VariableDeclarator') return namesOfPattern(parent['id'] as Tree, around);
  return undefined;
}

/** `import(x).then(({ name }) => ...)`, `import(x).then((all) => all.name)`. */
function namesOfCallback(member: Tree, [call]: readonly Tree[]): readonly string[] | undefined {
  const [callback] = ((call?.['arguments'] as readonly Tree[] | undefined) ?? []) as readonly (Tree | undefined)[];
  const [given] = (callback?.['params'] ?? []) as readonly (Tree | undefined)[];
  if (nameOf(member)?.[0] !== 'then' || callback === undefined || given === undefined) return undefined;
  return namesOfPattern(given, [callback]);
}

/** `const [{ name }, all] = await Promise.all([import(x), import(y)])`. */
function namesOfAll(at: number, around: readonly Tree[]): readonly string[] | undefined {
  const [call, waiting, declared] = around;
  const pattern = declared?.['id'] as Tree | undefined;
  const isAll = nameOf(call?.['callee'] as Tree | undefined)?.[0] === 'all' && waiting?.type === 'AwaitExpression';
  if (!isAll || pattern?.type !== 'ArrayPattern') return undefined;
  const element = (pattern['elements'] as readonly (Tree | null)[])[at];
  return element ? namesOfPattern(element, around.slice(3)) : [];
}

function namesOfPattern(pattern: Tree, around: readonly Tree[]): readonly string[] | undefined {
  if (pattern.type === 'ObjectPattern') {
    const properties = pattern['properties'] as readonly Tree[];
    const names = properties.map((property) => (property.type === 'Property' ? keyOf(property) : undefined));
    return names.every((name) => name !== undefined) ? names : undefined;
  }
  return pattern.type === 'Identifier' ? membersOf(pattern['name'] as string, around) : undefined;
}

/** The members of a variable that the function around it uses; undefined: it uses the variable as a whole. */
function membersOf(variable: string, around: readonly Tree[]): readonly string[] | undefined {
  const scope = around.find(({ type }) => /Function|Program/.test(type));
  if (scope === undefined) return undefined;
  const names: (readonly string[] | undefined)[] = [];
  visit([scope], ([tree, parent]) => {
    if (tree.type !== 'Identifier' || tree['name'] !== variable || isNameOnly(tree, parent)) return;
    names.push(parent?.type === 'MemberExpression' ? nameOf(parent) : undefined);
  });
  return names.every((name) => name !== undefined) ? names.flat() : undefined;
}

/** Whether an identifier declares a variable, or names a member, and so uses none. */
function isNameOnly(tree: Tree, parent: Tree | undefined): boolean {
  if (parent?.type === 'MemberExpression') return parent['object'] !== tree && parent['computed'] !== true;
  if (parent?.type === 'Property') return parent['key'] === tree && parent['shorthand'] !== true;
  return parent?.type === 'VariableDeclarator' || /Function|ArrayPattern/.test(parent?.type ?? '');
}

function nameOf(member: Tree | undefined): readonly [string] | undefined {
  if (member?.type !== 'MemberExpression' || member['computed'] === true) return undefined;
  return [(member['property'] as { readonly name: string }).name];
}

function keyOf(property: Tree): string | undefined {
  const { name, value } = property['key'] as { readonly name?: string; readonly value?: unknown };
  return property['computed'] === true ? undefined : (name ?? String(value));
}
