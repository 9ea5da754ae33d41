import { type Expression as CelExpression, partsOf } from '../cel/index.ts';
import { type Body, childrenOf, type Expression } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';
import { type Embedded, embeddedIn, fileRange } from './expressions/embedded.ts';
import type { FileState } from './states.ts';

/** Kinds of words that an editor colours, by their names in the Language Server Protocol. */
export const tokenKinds = [
  'keyword',
  'property',
  'string',
  'number',
  'variable',
  'parameter',
  'function',
  'method',
  'type',
] as const;

export type TokenKind = (typeof tokenKinds)[number];

export interface SemanticToken extends Range {
  readonly kind: TokenKind;
}

/**
 * The words of a file with their kinds, in order and without overlap: blocks, attributes, values, and inside texts that
 * are expressions the words of those.
 */
export function semanticTokens(file: FileState): readonly SemanticToken[] {
  const tokens: SemanticToken[] = [];
  const inside: Embedded[] = file.written.values.flatMap((value) => embeddedIn(value, file.tree.text));
  for (const embedded of inside)
    for (const root of [embedded.expression, ...embedded.rest]) addExpression(root, new Set(), embedded, tokens);
  const expressions = inside.filter(({ start, end }) => end > start);
  addBody(file.tree.body, expressions, tokens);
  return withoutOverlap(tokens);
}

function addBody(body: Body, expressions: readonly Range[], tokens: SemanticToken[]): void {
  for (const item of body.items) {
    if (item.kind === 'attribute') {
      add('property', item.name, tokens);
      if (item.value) addValue(item.value, expressions, tokens);
      continue;
    }
    add('keyword', item.type, tokens);
    for (const label of item.labels) add('type', label, tokens);
    addBody(item.body, expressions, tokens);
  }
}

function addValue(value: Expression, expressions: readonly Range[], tokens: SemanticToken[]): void {
  if (expressions.some(({ start, end }) => start <= value.start && end >= value.end)) return;
  if (value.kind === 'number') add('number', value, tokens);
  else if (value.kind === 'boolean' || value.kind === 'null') add('keyword', value, tokens);
  else if (value.kind === 'variable') add('variable', value, tokens);
  else if (value.kind === 'attribute-access') add('property', value.name, tokens);
  else if (value.kind === 'call') add('function', value.name, tokens);
  else if (value.kind === 'template') addText(value, expressions, tokens);
  if (value.kind === 'object')
    for (const { key, value: entry } of value.entries) {
      if (key.kind === 'variable') add('property', key, tokens);
      else addValue(key, expressions, tokens);
      addValue(entry, expressions, tokens);
    }
  else for (const child of childrenOf(value)) addValue(child, expressions, tokens);
}

/** The parts of a text around its expressions. */
function addText(text: Range, expressions: readonly Range[], tokens: SemanticToken[]): void {
  let at = text.start;
  const holes = expressions.filter(({ start, end }) => start >= text.start && end <= text.end);
  for (const hole of holes.toSorted((a, b) => a.start - b.start)) {
    add('string', { start: at, end: hole.start }, tokens);
    at = hole.end;
  }
  add('string', { start: at, end: text.end }, tokens);
}

function addExpression(
  node: CelExpression,
  locals: ReadonlySet<string>,
  embedded: Embedded,
  tokens: SemanticToken[],
): void {
  const put = (kind: TokenKind, range: Range) => add(kind, fileRange(embedded, range), tokens);
  if (node.kind === 'identifier') put(locals.has(node.name) ? 'parameter' : 'variable', node);
  else if (node.kind === 'literal') put(kindOfLiteral(node.value), node);
  else if (node.kind === 'select') put('property', node.fieldRange);
  else if (node.kind === 'call') put(node.target ? 'method' : 'function', node.nameRange);
  for (const { node: part, declares } of partsOf(node, 'product'))
    addExpression(
      part,
      declares.length > 0 ? new Set([...locals, ...declares.map(({ name }) => name)]) : locals,
      embedded,
      tokens,
    );
}

function kindOfLiteral(value: unknown): TokenKind {
  if (typeof value === 'string' || value instanceof Uint8Array) return 'string';
  return typeof value === 'boolean' || value === null ? 'keyword' : 'number';
}

function add(kind: TokenKind, { start, end }: Range, tokens: SemanticToken[]): void {
  if (end > start) tokens.push({ kind, start, end });
}

/** Sorted; of two that overlap the inner one, which is later in the text, keeps its place and cuts the other. */
function withoutOverlap(tokens: readonly SemanticToken[]): readonly SemanticToken[] {
  const kept: SemanticToken[] = [];
  for (const token of tokens.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || last.end <= token.start) kept.push(token);
    else if (token.start > last.start) {
      kept[kept.length - 1] = { ...last, end: token.start };
      kept.push(token);
    }
  }
  return kept;
}
