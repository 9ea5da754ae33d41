import { touches } from '../text/index.ts';
import type { Expression } from './ast.ts';
import { type Macro, macroOf } from './macros.ts';

/** A name that a macro declares. */
export interface Local {
  readonly name: string;
  /** What it denotes: the value of an expression, or each element of it; undefined for keys and positions. */
  readonly denotes?: { readonly kind: 'value' | 'element'; readonly of: Expression } | undefined;
}

/** A direct part of an expression, with the names that a macro declares for it. */
export interface Part {
  readonly node: Expression;
  readonly declares: readonly Local[];
}

/** The direct parts of an expression in written order. The names that a macro declares are not parts. */
export function partsOf(node: Expression, dialect: 'product' | 'strict'): readonly Part[] {
  switch (node.kind) {
    case 'literal':
    case 'identifier':
    case 'missing':
      return [];
    case 'select':
      return plain(node.operand);
    case 'index':
      return plain(node.operand, node.index);
    case 'list':
      return plain(...node.elements.map(({ value }) => value));
    case 'map':
      return plain(...node.entries.flatMap(({ key, value }) => [key, value]));
    case 'message':
      return plain(...node.fields.map(({ value }) => value));
    case 'unary':
      return plain(node.operand);
    case 'binary':
      return plain(node.left, node.right);
    case 'conditional':
      return plain(node.condition, node.then, node.otherwise);
    case 'call': {
      const macro = macroOf(node, dialect);
      if (macro && macro.kind !== 'problem') return partsOfMacro(macro);
      return plain(...(node.target ? [node.target] : []), ...node.args);
    }
  }
}

/** The expressions around a place, and the names that macros declare there. */
export interface Place {
  /** From the whole expression to the smallest part that touches the place. */
  readonly nodes: readonly Expression[];
  readonly locals: readonly Local[];
}

/** What is at an offset, also when the offset is directly behind it or after the end, for completion and hover. */
export function placeAt(expression: Expression, offset: number, dialect: 'product' | 'strict' = 'product'): Place {
  const nodes = [expression];
  const place = Math.min(offset, expression.end);
  const locals: Local[] = [];
  for (let node: Expression | undefined = expression; node; ) {
    const part: Part | undefined = partsOf(node, dialect).findLast((one) => touches(one.node, place));
    if (part) {
      nodes.push(part.node);
      locals.push(...part.declares);
    }
    node = part?.node;
  }
  return { nodes, locals };
}

function partsOfMacro(macro: Macro): readonly Part[] {
  switch (macro.kind) {
    case 'has':
      return plain(macro.select);
    case 'default':
      return plain(macro.value, macro.alternative);
    case 'optional-or':
      return plain(macro.operand, macro.alternative);
    case 'bind':
      return [...plain(macro.value), bodyWith(macro.variable, macro.value, macro.body)];
    case 'optional-map':
      return [...plain(macro.operand), bodyWith(macro.variable, macro.operand, macro.body)];
    case 'comprehension': {
      const bodies = macro.filter ? [macro.filter, macro.body] : [macro.body];
      const [first, second] = macro.variables;
      const element = { name: second ?? first, denotes: { kind: 'element', of: macro.range } } as const;
      const declares = second === undefined ? [element] : [{ name: first }, element];
      return [...plain(macro.range), ...bodies.map((node) => ({ node, declares }))];
    }
  }
}

function bodyWith(name: string, of: Expression, node: Expression): Part {
  return { node, declares: [{ name, denotes: { kind: 'value', of } }] };
}

function plain(...nodes: readonly Expression[]): Part[] {
  return nodes.map((node) => ({ node, declares: [] }));
}
