import type { Expression } from './ast.ts';
import { located, type Variables } from './compile/code.ts';
import type { Activation, CelPart } from './engine.ts';
import type { Closures } from './program.ts';
import { isNamespace, type ReferenceOptions } from './references.ts';
import { refill } from './values/meter.ts';
import { typeValues } from './values/type-value.ts';
import { partsOf } from './walk.ts';

/** Parts that are read of one expression; those behind them are left out. */
const mostParts = 500;

export interface ReadingOptions extends ReferenceOptions {
  /** Steps that all parts may take together. */
  readonly costLimit: number;
  compile(node: Expression): Closures;
}

/** Evaluates every part below the whole expression by itself, inner ones first; see `CelProgram.read`. */
export function readParts(whole: Expression, options: ReadingOptions, activation: Activation): readonly CelPart[] {
  const found: { readonly node: Expression; readonly depth: number }[] = [];
  /** Collects the parts below a node, and gives the greatest depth there. */
  const below = (node: Expression): number => {
    if (isPath(node)) return 0;
    let deepest = 0;
    for (const { node: part, declares } of partsOf(node, options.dialect)) {
      if (declares.length > 0 || isFixed(part) || isNamespace(part, node, options, noLocals)) continue;
      const depth = below(part) + 1;
      deepest = Math.max(deepest, depth);
      if (found.length < mostParts) found.push({ node: part, depth });
    }
    return deepest;
  };
  below(whole);
  refill(options.costLimit);
  return found.map(({ node, depth }): CelPart => {
    const place = { start: node.start, end: node.end, depth };
    const { run, slots } = options.compile(node);
    const frame = { locals: new Array<unknown>(slots) };
    try {
      return { ...place, value: run(activation as Variables, frame) };
    } catch (error) {
      return { ...place, error: located(error, node) };
    }
  });
}

const noLocals: ReadonlySet<string> = new Set();

/** What says its own value: literals, lists and maps of them, and names of types. */
function isFixed(node: Expression): boolean {
  switch (node.kind) {
    case 'literal':
    case 'missing':
      return true;
    case 'identifier':
      return typeValues.has(node.name);
    case 'unary':
      return isFixed(node.operand);
    case 'list':
      return node.elements.every(({ value }) => isFixed(value));
    case 'map':
      return node.entries.every(({ key, value }) => isFixed(key) && isFixed(value));
    default:
      return false;
  }
}

/** A variable with fields and written positions is read as one part. */
function isPath(node: Expression): boolean {
  if (node.kind === 'identifier') return true;
  if (node.kind === 'select') return isPath(node.operand);
  return node.kind === 'index' && node.index.kind === 'literal' && isPath(node.operand);
}
