import { type Range, touches } from '../text/index.ts';
import { childrenOf } from './children.ts';
import type { Attribute, Block, Body, Expression, Label, SyntaxTree } from './tree.ts';

/** One block of a path: its type and labels, and which of the equal ones in the same body is meant, from 0. */
export interface BlockStep {
  readonly type: string;
  readonly labels: readonly string[];
  readonly index: number;
}

/** The way from the root of a file to a block, outermost first; empty for the root itself. */
export type BlockPath = readonly BlockStep[];

/** What is at an offset. A place that touches two nodes belongs to the one that ends there. */
export interface Location {
  /** The blocks around the offset, outermost first. The last one is the block whose head it is in, if it is in one. */
  readonly blocks: readonly Block[];
  readonly path: BlockPath;
  /** The part of the innermost block or attribute the offset is in. */
  readonly part: 'body' | 'type' | 'label' | 'head' | 'attribute-name' | 'attribute-value';
  readonly label: Label | undefined;
  readonly attribute: Attribute | undefined;
  /** The expressions around the offset, outermost first; empty outside values. */
  readonly expressions: readonly Expression[];
}

/**
 * Finds what is under `offset`. Works in unfinished text, where a cursor after `name =` is in the attribute's value.
 */
export function locate(tree: SyntaxTree, offset: number): Location {
  const blocks: Block[] = [];
  const found = (part: Location['part'], rest: Partial<Location> = {}): Location => ({
    blocks,
    path: pathOf(tree, blocks),
    part,
    label: undefined,
    attribute: undefined,
    expressions: [],
    ...rest,
  });
  let body = tree.body;
  for (;;) {
    const item = body.items.find(
      (candidate) => touches(candidate, offset) || isOnValueOf(candidate, offset, tree.text),
    );
    if (item === undefined) return found('body');
    if (item.kind === 'attribute') {
      if (touches(item.name, offset)) return found('attribute-name', { attribute: item });
      const expressions = item.value === undefined ? [] : expressionsAround(item.value, offset);
      return found('attribute-value', { attribute: item, expressions });
    }
    blocks.push(item);
    if (touches(item.type, offset)) return found('type');
    const label = item.labels.find((candidate) => touches(candidate, offset));
    if (label !== undefined) return found('label', { label });
    if (!touches(item.body, offset)) {
      // Right behind the closing brace one is outside again.
      if (offset >= item.end && item.complete) {
        blocks.pop();
        return found('body');
      }
      return found('head');
    }
    body = item.body;
  }
}

/** The block a path leads to. */
export function blockAt(tree: SyntaxTree, path: BlockPath): Block | undefined {
  let body: Body = tree.body;
  let block: Block | undefined;
  for (const step of path) {
    block = body.items.filter((item) => item.kind === 'block' && isOfStep(item, step))[step.index] as Block | undefined;
    if (block === undefined) return undefined;
    body = block.body;
  }
  return block;
}

/** The body a path leads to: that of a block, or the root. */
export function bodyAt(tree: SyntaxTree, path: BlockPath): Body | undefined {
  return path.length === 0 ? tree.body : blockAt(tree, path)?.body;
}

/** The path of nested blocks, each of which is an item of the one before it. */
export function pathOf(tree: SyntaxTree, blocks: readonly Block[]): BlockPath {
  return blocks.map((block, depth) => {
    const body = depth === 0 ? tree.body : (blocks[depth - 1] as Block).body;
    const step = { type: block.type.text, labels: block.labels.map((label) => label.text), index: 0 };
    const equal = body.items.filter((item) => item.kind === 'block' && isOfStep(item, step));
    return { ...step, index: equal.indexOf(block) };
  });
}

function isOfStep(block: Block, step: BlockStep): boolean {
  return (
    block.type.text === step.type &&
    block.labels.length === step.labels.length &&
    block.labels.every((label, index) => label.text === step.labels[index])
  );
}

/** Whether the offset is in the white space behind an attribute that has no readable value yet. */
function isOnValueOf(
  item: Range & { readonly kind: string; readonly value?: unknown },
  offset: number,
  text: string,
): boolean {
  if (item.kind !== 'attribute' || item.value !== undefined || offset < item.end) return false;
  return text.charAt(item.end - 1) === '=' && /^[ \t]*$/.test(text.slice(item.end, offset));
}

function expressionsAround(root: Expression, offset: number): Expression[] {
  const around: Expression[] = [];
  let node: Expression | undefined = touches(root, offset) ? root : undefined;
  while (node !== undefined) {
    around.push(node);
    node = childrenOf(node).find((child) => touches(child, offset));
  }
  return around;
}
