import type { BlockSpec, Origin } from '../schema/index.ts';
import type { Attribute, Block, BodyItem } from '../syntax/index.ts';
import type { Range } from '../text/index.ts';

/** An item of a body together with its file: bodies may be put together from several. */
export interface SourcedItem {
  readonly file: string;
  /** Text of the file, for what is kept as written. */
  readonly text: string;
  readonly item: BodyItem;
  /** The reusable definition that it was written in, where another block uses it: `retry "persistent"`. */
  readonly definition?: string | undefined;
}

export interface SourcedAttribute extends SourcedItem {
  readonly item: Attribute;
}

export interface SourcedBlock extends SourcedItem {
  readonly item: Block;
  /** The items of a mapping over which this one is laid field by field. */
  readonly under?: readonly SourcedItem[] | undefined;
}

export function isAttribute(sourced: SourcedItem): sourced is SourcedAttribute {
  return sourced.item.kind === 'attribute';
}

export function isBlock(sourced: SourcedItem): sourced is SourcedBlock {
  return sourced.item.kind === 'block';
}

/** The items inside a block. */
export function itemsOf({ item, file, text, under }: SourcedBlock): SourcedItem[] {
  const own = item.body.items.map((inner) => ({ item: inner, file, text }));
  return under === undefined ? own : overlay(under, own, { blocks: {} });
}

/** A block whose word is its label; labels that it has beside that are refused with it. */
export function labelledByWord(sourced: SourcedBlock): SourcedBlock {
  const { item } = sourced;
  return { ...sourced, item: { ...item, labels: [{ ...item.type, quoted: false }, ...item.labels] } };
}

export function place(sourced: { readonly file: string }, range: Range): Origin {
  return { file: sourced.file, range };
}

/**
 * Lays one body over another (docs/specification/language.md#definitions-and-use): attributes win by name and keep the
 * place they had; nested blocks replace those of the same word whole, repeated labelled ones label by label; mappings
 * merge field by field.
 */
export function overlay(
  base: readonly SourcedItem[],
  top: readonly SourcedItem[],
  spec: Pick<BlockSpec, 'blocks'>,
): SourcedItem[] {
  const result = [...base];
  const added: SourcedItem[] = [];
  const replacedWords = new Set<string>();
  for (const sourced of top) {
    const at = result.findIndex((existing) => replaces(sourced, existing, spec));
    const word = wordOf(sourced);
    if (at >= 0 && isAttribute(sourced)) result[at] = sourced;
    else if (isBlock(sourced) && isLabelledRepeat(word, spec)) {
      if (at >= 0) result[at] = sourced;
      else added.push(sourced);
    } else if (at >= 0 && isBlock(sourced) && isMapping(word, spec) && !replacedWords.has(word)) {
      replacedWords.add(word);
      result[at] = { ...sourced, under: itemsOf(result[at] as SourcedBlock) } as SourcedBlock;
    } else {
      if (isBlock(sourced) && !replacedWords.has(word)) {
        replacedWords.add(word);
        for (let i = result.length - 1; i >= 0; i--) if (wordOf(result[i] as SourcedItem) === word) result.splice(i, 1);
      }
      added.push(sourced);
    }
  }
  return [...result, ...added];
}

function replaces(top: SourcedItem, base: SourcedItem, spec: Pick<BlockSpec, 'blocks'>): boolean {
  if (wordOf(top) !== wordOf(base)) return false;
  if (isAttribute(top)) return isAttribute(base);
  if (!isBlock(top) || !isBlock(base)) return false;
  if (isMapping(wordOf(top), spec)) return true;
  return isLabelledRepeat(wordOf(top), spec) && top.item.labels[0]?.text === base.item.labels[0]?.text;
}

/** A block that holds nothing but fields of the author's own choosing. */
function isMapping(word: string, spec: Pick<BlockSpec, 'blocks'>): boolean {
  const { fields, repeated = false, attributes = {}, blocks = {} } = spec.blocks[word] ?? {};
  return fields !== undefined && !repeated && Object.keys(attributes).length + Object.keys(blocks).length === 0;
}

function isLabelledRepeat(word: string, spec: Pick<BlockSpec, 'blocks'>): boolean {
  const { repeated = false, label, over } = spec.blocks[word] ?? {};
  return repeated && label !== undefined && over === undefined;
}

/** The name of an attribute or the type of a block. */
export function wordOf({ item }: SourcedItem): string {
  return item.kind === 'attribute' ? item.name.text : item.type.text;
}
