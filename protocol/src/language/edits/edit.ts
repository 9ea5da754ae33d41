import type { AttributeSpec, BlockSpec, Vocabulary } from '../../schema/index.ts';
import {
  addBlock,
  type Body,
  type BodyItem,
  locate,
  parseHcl,
  removeAttribute,
  removeBlock,
  renameBlock,
  type SyntaxTree,
  setAttribute,
  sourceOf,
} from '../../syntax/index.ts';
import { applyEdits, type TextEdit } from '../../text/index.ts';
import type { FileState } from '../states.ts';
import { attributeNamed, type WrittenBody } from '../written.ts';
import { bodyAround } from './form.ts';
import {
  elementOf,
  keyOf,
  type LiteralValue,
  type LocatedExpression,
  literalOf,
  parsed,
  sourceOfLiteral,
} from './literal.ts';
import { isName } from './rename.ts';
import { skeletonOf } from './skeleton.ts';

/** One change of the innermost block around an offset. */
export type FormChange =
  /** `text` is the source of an expression. */
  | { readonly set: { readonly name: string; readonly text: string } }
  /**
   * Written as the attribute takes it: a text in quotes, the source of an expression or a template quoted and escaped.
   */
  | { readonly setValue: { readonly name: string; readonly value: LiteralValue } }
  | { readonly remove: string }
  /** Adds a block with what it must say. A loop has two labels, its name and its list. */
  | { readonly addBlock: { readonly word: string; readonly labels?: readonly string[] } }
  | { readonly removeBlock: true }
  /** Changes the label here alone; what names the block stays as it is. */
  | { readonly rename: string };

/** Why a change cannot be made, in a sentence for the person who asked. */
export class EditRefused extends Error {
  override readonly name = 'EditRefused';
}

/**
 * The edits of one file that make a change, and nothing else: comments, order and layout stay. Throws EditRefused when
 * there is nothing to change, the language has no such word there, or the text would not be what it was elsewhere.
 */
export function editAt(
  file: FileState,
  offset: number,
  change: FormChange,
  vocabulary: Vocabulary,
): readonly TextEdit[] {
  const body = bodyAround(file, offset);
  const { tree } = file;
  const { path } = locate(tree, offset);
  if ('addBlock' in change) {
    const { word, labels = [] } = change.addBlock;
    const source = blockSource(body, word, labels, vocabulary);
    return kept(tree, addBlock(tree, path, source), { removes: 0, adds: Number.POSITIVE_INFINITY });
  }
  if (body.block === undefined) throw new EditRefused('there is no block here');
  if ('removeBlock' in change)
    return kept(tree, removeBlock(tree, path), { removes: 1 + factsOf(body.body, tree.text).length, adds: 0 });
  if ('rename' in change) {
    if (body.block.labels.length === 0) throw new EditRefused(`${body.block.type.text} has no name`);
    if (!isName(change.rename)) throw new EditRefused(`"${change.rename}" is not a name`);
    return kept(tree, renameBlock(tree, path, 0, change.rename), one);
  }
  if ('remove' in change) {
    if (itemNamed(body, change.remove)?.kind !== 'attribute')
      throw new EditRefused(`${change.remove} is not written here`);
    return kept(tree, removeAttribute(tree, path, change.remove), { removes: 1, adds: 0 });
  }
  const name = writtenName(body, 'set' in change ? change.set.name : change.setValue.name);
  const spec = specOf(body, name);
  if ('setValue' in change) {
    const edits = valueEdits(change.setValue.value, spec, writtenIn(body, name, tree));
    if (edits === undefined)
      throw new EditRefused(`${name} cannot be written as ${JSON.stringify(change.setValue.value)}`);
    return kept(tree, typeof edits === 'string' ? setAttribute(tree, path, name, edits) : edits, one);
  }
  const source = change.set.text.trim();
  if (parsed(source) === undefined) throw new EditRefused(`${source} is not a value`);
  return kept(tree, setAttribute(tree, path, name, source), one);
}

function writtenIn(body: WrittenBody, name: string, { text }: SyntaxTree): LocatedExpression | undefined {
  const item = itemNamed(body, name);
  return item?.kind === 'attribute' && item.value ? { expression: item.value, text } : undefined;
}

/**
 * The source of a value; edits of single entries where an object that begins with the same names is written already.
 */
function valueEdits(
  value: LiteralValue,
  spec: AttributeSpec | undefined,
  now: LocatedExpression | undefined,
): string | readonly TextEdit[] | undefined {
  const entries = now?.expression.kind === 'object' ? now.expression.entries : [];
  const wanted = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  const isSame = entries.every(({ key }, at) => keyOf(key) === wanted[at]?.[0]);
  // The lines of a heredoc would end in two ways.
  if (now === undefined || entries.length === 0 || entries.length > wanted.length || !isSame)
    return sourceOfLiteral(value, spec, now?.text.includes('\r') ? undefined : now);
  const edits: TextEdit[] = [];
  for (const [at, { value: expression }] of entries.entries()) {
    const own = wanted[at]?.[1] as LiteralValue;
    const element = elementOf(spec);
    if (JSON.stringify(literalOf(expression, element, now.text)) === JSON.stringify(own)) continue;
    const made = valueEdits(own, element, { expression, text: now.text });
    if (made === undefined) return undefined;
    if (typeof made === 'string') edits.push({ range: { start: expression.start, end: expression.end }, text: made });
    else edits.push(...made);
  }
  const added = wanted.slice(entries.length);
  const sources = added.map(([name, own]) => sourceOfLiteral({ [name]: own }, spec, undefined)?.slice(2, -2));
  if (sources.some((source) => source === undefined)) return undefined;
  return added.length === 0 ? edits : [...edits, insertedEntries(sources as string[], now)];
}

/** Entries on lines of their own above a brace that has one, else behind the last one. */
function insertedEntries(sources: readonly string[], { expression, text }: LocatedExpression): TextEdit {
  const last = (expression.kind === 'object' ? expression.entries.at(-1) : undefined) ?? expression;
  const line = text.lastIndexOf('\n', expression.end - 1) + 1;
  if (line <= last.end || text.slice(line, expression.end - 1).trim() !== '')
    return { range: { start: last.end, end: last.end }, text: sources.map((source) => `, ${source}`).join('') };
  const space = /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', last.start) + 1))?.[0];
  const end = text.charAt(line - 2) === '\r' ? '\r\n' : '\n';
  return { range: { start: line, end: line }, text: sources.map((source) => space + source + end).join('') };
}

/** The name under which an attribute is written, which may be an older one. Refuses what may not be written. */
function writtenName(body: WrittenBody, name: string): string {
  const { spec, block } = body;
  const item = itemNamed(body, name);
  if (item?.kind === 'block') throw new EditRefused(`${name} is written as a block`);
  if (item !== undefined) return name;
  const attribute = attributeNamed(spec, name);
  const alias = attribute?.aliases.find((one) => itemNamed(body, one) !== undefined);
  if (alias !== undefined) return alias;
  if (!/^[\p{ID_Start}_][\p{ID_Continue}-]*$/u.test(name))
    throw new EditRefused(`"${name}" is not the name of an attribute`);
  if (spec !== undefined && attribute === undefined && specOf(body, name) === undefined)
    throw new EditRefused(`${block?.type.text} has no attribute ${name}`);
  return name;
}

/**
 * How an attribute is read, written or not: by its own spec, as the block that it abbreviates, or as any other name.
 */
function specOf({ spec }: WrittenBody, name: string): AttributeSpec | undefined {
  const own = attributeNamed(spec, name);
  if (own) return own;
  const inner = spec && Object.hasOwn(spec.blocks, name) ? spec.blocks[name] : undefined;
  if (inner === undefined) return spec?.fields;
  if (inner.shorthand !== undefined) return inner.attributes[inner.shorthand];
  if (!inner.asAttribute) return undefined;
  return { kind: 'map', doc: inner.doc, required: false, secret: false, aliases: [], element: inner.fields };
}

function itemNamed({ body }: WrittenBody, name: string): BodyItem | undefined {
  return body.items.find((item) => (item.kind === 'attribute' ? item.name : item.type).text === name);
}

function blockSource(body: WrittenBody, word: string, labels: readonly string[], vocabulary: Vocabulary): string {
  const specs: Readonly<Record<string, BlockSpec>> = body.block ? (body.spec?.blocks ?? {}) : vocabulary.blocks;
  const spec = Object.hasOwn(specs, word) ? specs[word] : undefined;
  if (spec === undefined) throw new EditRefused(`${body.block?.type.text ?? 'a file'} has no block ${word}`);
  if (body.block !== undefined && !spec.repeated && itemNamed(body, word) !== undefined)
    throw new EditRefused(`${word} is written already`);
  const needed = spec.over ? 2 : spec.label ? 1 : 0;
  const [name] = labels;
  if (labels.length !== needed || (name !== undefined && !isName(name)))
    throw new EditRefused(needed === 0 ? `${word} has no name` : `${word} needs a ${spec.label?.name}`);
  return skeletonOf(word, labels, spec);
}

/** How many attributes and blocks a change may take away and bring, in one run of the text. */
interface Touched {
  readonly removes: number;
  readonly adds: number;
}

const one = { removes: 1, adds: 1 };

/** Refuses edits after which anything else would be read differently, as can be where a text is not finished. */
export function kept(tree: SyntaxTree, edits: readonly TextEdit[], { removes, adds }: Touched): readonly TextEdit[] {
  const after = parseHcl(applyEdits(tree.text, edits), tree.file);
  const [old, own] = [factsOf(tree.body, tree.text), factsOf(after.body, after.text)];
  const shorter = Math.min(old.length, own.length);
  let start = 0;
  while (start < shorter && old[start] === own[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === own.at(-1 - end)) end++;
  const same = old.length - start - end <= removes && own.length - start - end <= adds;
  if (!same || after.diagnostics.length > tree.diagnostics.length)
    throw new EditRefused('this cannot be changed before the text around it is finished');
  return edits;
}

/** Everything that a body says, in written order, with its depth. */
function factsOf({ items }: Body, text: string, depth = 0): readonly string[] {
  return items.flatMap((item) =>
    item.kind === 'attribute'
      ? [`${depth} ${item.name.text} = ${item.value ? sourceOf(item.value, text) : ''}`]
      : [
          `${depth} ${item.type.text} ${JSON.stringify(item.labels.map((label) => label.text))}`,
          ...factsOf(item.body, text, depth + 1),
        ],
  );
}
