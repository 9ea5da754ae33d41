import type { TextEdit } from '../text/index.ts';
import { indentLines } from './indent.ts';
import { type BlockPath, blockAt, bodyAt } from './locate.ts';
import type { Attribute, Block, Body, BodyItem, SyntaxTree } from './tree.ts';

const INDENTATION = '  ';

/*
 * Changes of one file as text edits. They touch the tokens they are about and nothing else: comments, blank lines and
 * the layout of everything around stay as written. What a path does not lead to is not changed: the result is empty.
 */

/**
 * Sets an attribute of the block at `path` to `source`, the text of an expression. A new one follows the other
 * attributes.
 */
export function setAttribute(tree: SyntaxTree, path: BlockPath, name: string, source: string): TextEdit[] {
  const body = bodyAt(tree, path);
  if (body === undefined) return [];
  const attribute = attributeOf(body, name);
  if (attribute === undefined) {
    const last = lastAttribute(body);
    return insertItem(tree, path, `${name.padEnd(columnOf(tree.text, last))} = ${source}`, last);
  }
  const { value } = attribute;
  if (value !== undefined) return [{ range: { start: value.start, end: value.end }, text: source }];
  return [{ range: { start: attribute.name.end, end: attribute.end }, text: ` = ${source}` }];
}

/** Removes an attribute with its line. A comment beside it stays. */
export function removeAttribute(tree: SyntaxTree, path: BlockPath, name: string): TextEdit[] {
  const body = bodyAt(tree, path);
  const attribute = body && attributeOf(body, name);
  return attribute === undefined ? [] : [removeItem(tree, attribute)];
}

/** Adds a block, given as source that starts at the left margin, at the end of the block at `path` or of the file. */
export function addBlock(tree: SyntaxTree, path: BlockPath, source: string): TextEdit[] {
  const body = bodyAt(tree, path);
  return body === undefined ? [] : insertItem(tree, path, source, body.items.at(-1));
}

/**
 * Adds a block behind an item of the block at `path`, or in front of all of them. Where items have empty lines between
 * them, so has it.
 */
export function insertBlock(
  tree: SyntaxTree,
  path: BlockPath,
  source: string,
  previous: BodyItem | undefined,
): TextEdit[] {
  const body = bodyAt(tree, path);
  if (body === undefined) return [];
  const edits = insertItem(tree, path, source, previous);
  const [only, more] = edits;
  if (only === undefined || more !== undefined || !hasEmptyLines(body, tree.text)) return edits;
  const lineBreak = tree.text.includes('\r\n') ? '\r\n' : '\n';
  const text = previous === undefined ? only.text + lineBreak : lineBreak + only.text;
  return [{ ...only, text }];
}

function hasEmptyLines({ items }: Body, text: string): boolean {
  return items.some((item, at) => {
    const next = items[at + 1];
    return next !== undefined && /\n[ \t]*\r?\n/.test(text.slice(item.end, next.start));
  });
}

/** Removes a block with its lines. Comments around it stay. */
export function removeBlock(tree: SyntaxTree, path: BlockPath): TextEdit[] {
  const block = blockAt(tree, path);
  return block === undefined ? [] : [removeItem(tree, block)];
}

/**
 * Moves a block into the block at `target` (the root: an empty path): in front of the block at `before`, above the
 * comments directly above that one, or behind the last item. Its lines are indented for their new place, those
 * of heredocs left as they are. Into itself a block cannot be moved, and `before` must be an item of the target.
 */
export function moveBlock(tree: SyntaxTree, path: BlockPath, target: BlockPath, before?: BlockPath): TextEdit[] {
  const block = blockAt(tree, path);
  const body = bodyAt(tree, target);
  if (block === undefined || body === undefined) return [];
  if (block.body === body || (body.start >= block.start && body.end <= block.end)) return [];
  const source = indentLines(tree.text.slice(block.start, block.end), -indentationOf(tree.text, block.start).length);
  if (before !== undefined) {
    const next = blockAt(tree, before);
    if (next === undefined || next === block || !body.items.includes(next)) return [];
    return [removeItem(tree, block), insertAbove(tree.text, next, source)];
  }
  if (body.items.at(-1) === block) return [];
  return [removeItem(tree, block), ...insertItem(tree, target, source, body.items.at(-1))];
}

/** Changes one label of a block, counted from 0. A bare label becomes a quoted one where the new text needs quotes. */
export function renameBlock(tree: SyntaxTree, path: BlockPath, label: number, text: string): TextEdit[] {
  const found = blockAt(tree, path)?.labels[label];
  if (found === undefined) return [];
  const bare = !found.quoted && /^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(text);
  return [{ range: { start: found.start, end: found.end }, text: bare ? text : quote(text) }];
}

/** A text as HCL writes it between double quotes, with nothing in it taken for a template. */
export function quote(text: string): string {
  const escaped = text
    .replace(/[\\"]/g, '\\$&')
    .replace(/\n/g, '\\n')
    .replace(/\r/g, '\\r')
    .replace(/\t/g, '\\t')
    .replace(/[$%](?=\{)/g, (sign) => sign + sign);
  return `"${escaped}"`;
}

function attributeOf(body: Body, name: string): Attribute | undefined {
  return body.items.find((item) => item.kind === 'attribute' && item.name.text === name) as Attribute | undefined;
}

function lastAttribute(body: Body): Attribute | undefined {
  return body.items.findLast((item) => item.kind === 'attribute');
}

/** How wide the names are that an attribute on one line is aligned with; 0 when it is not. */
function columnOf(text: string, attribute: Attribute | undefined): number {
  if (attribute === undefined || text.slice(attribute.start, attribute.end).includes('\n')) return 0;
  const sign = text.slice(attribute.start, attribute.end).indexOf('=');
  return Math.max(0, sign - 1);
}

/** Inserts source as an item behind `previous`, or as the first one. */
function insertItem(tree: SyntaxTree, path: BlockPath, source: string, previous: BodyItem | undefined): TextEdit[] {
  const { text } = tree;
  const block = blockAt(tree, path);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const outer = block === undefined ? undefined : indentationOf(text, block.start);
  const onOneLine = block !== undefined && !text.slice(block.body.start, block.body.end).includes('\n');
  const inner =
    previous !== undefined && !onOneLine
      ? indentationOf(text, previous.start)
      : outer === undefined
        ? ''
        : outer + INDENTATION;
  const lines = inner + indentLines(source, inner.length).replace(/\r?\n/g, lineBreak);
  if (block !== undefined && onOneLine) return openUp(block, inner, outer ?? '', lineBreak, lines);
  if (previous !== undefined) {
    const end = endOfLine(text, previous.end);
    return [insertion(end, lineBreak + lines + (end === text.length ? lineBreak : ''))];
  }
  if (block !== undefined) return [insertion(endOfLine(text, block.body.start), lineBreak + lines)];
  const end = text.length;
  const gap = end === 0 || text.endsWith('\n') || text === '\ufeff' ? '' : lineBreak;
  return [insertion(end, gap + lines + lineBreak)];
}

/** Inserts source as an item in front of `next` and of the comment lines directly above it. */
function insertAbove(text: string, next: Block, source: string): TextEdit {
  const indentation = indentationOf(text, next.start);
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  let at = text.lastIndexOf('\n', next.start - 1) + 1;
  for (;;) {
    const above = at === 0 ? -1 : text.lastIndexOf('\n', at - 2) + 1;
    if (above < 0 || !/^[ \t]*(#|\/\/)/.test(text.slice(above, at))) break;
    at = above;
  }
  const lines = indentLines(source, indentation.length).replace(/\r?\n/g, lineBreak);
  return insertion(at, indentation + lines + lineBreak);
}

/** Breaks a block on one line into several and adds lines to it. */
function openUp(block: Block, inner: string, outer: string, lineBreak: string, lines: string): TextEdit[] {
  const { body } = block;
  const [first] = body.items;
  const last = body.items.at(-1);
  const closing = lineBreak + lines + lineBreak + outer;
  if (first === undefined || last === undefined)
    return [{ range: { start: body.start, end: body.start }, text: closing }];
  return [insertion(body.start, lineBreak + inner), insertion(last.end, closing)].map((edit, index) =>
    index === 0
      ? { range: { start: body.start, end: first.start }, text: edit.text }
      : { ...edit, range: { start: last.end, end: body.end } },
  );
}

/** Removes the lines of an item, or only the item where its lines hold something else. */
function removeItem(tree: SyntaxTree, item: BodyItem): TextEdit {
  const { text } = tree;
  const start = text.lastIndexOf('\n', item.start - 1) + 1;
  const found = text.indexOf('\n', item.end);
  const end = found < 0 ? text.length : found + 1;
  const alone = /^[ \t]*$/.test(text.slice(start, item.start)) && /^[ \t\r]*\n?$/.test(text.slice(item.end, end));
  if (alone && start < item.start + 1) return { range: { start, end }, text: '' };
  const space = /^[ \t]*/.exec(text.slice(item.end))?.[0].length ?? 0;
  return { range: { start: item.start, end: item.end + space }, text: '' };
}

function insertion(at: number, text: string): TextEdit {
  return { range: { start: at, end: at }, text };
}

/** The white space at the start of the line that holds the offset. */
function indentationOf(text: string, offset: number): string {
  const start = offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start))?.[0] ?? '';
}

/** The end of the line the offset is on, before its line break. A comment over several lines moves it below that. */
function endOfLine(text: string, offset: number): number {
  for (let at = offset; at < text.length; at++) {
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at + 2) + 1;
    else if (text.charAt(at) === '#' || text.startsWith('//', at)) {
      const end = text.indexOf('\n', at);
      if (end < 0) return text.length;
      return text.charAt(end - 1) === '\r' ? end - 1 : end;
    } else if (text.charAt(at) === '\n' || text.startsWith('\r\n', at)) return at;
  }
  return text.length;
}
