import type { AttributeSpec, BlockSpec } from '../../schema/index.ts';
import {
  type Attribute,
  addBlock,
  type Block,
  type BodyItem,
  insertBlock,
  literalText,
  locate,
  parseHcl,
  setAttribute,
} from '../../syntax/index.ts';
import { applyEdits, type Range, type TextEdit } from '../../text/index.ts';
import type { FileState, ProjectState } from '../states.ts';
import { type LanguageSupport, placesOf, type StageFamily, type StagePlace } from '../support.ts';
import { EditRefused, kept } from './edit.ts';
import { isName } from './rename.ts';
import { placeholderOf, skeletonOf } from './skeleton.ts';

/** A stage that a flow may still be given. */
export interface StageChoice {
  /** Words from the flow inwards: `transform`, `validate` and `output`. */
  readonly path: readonly string[];
  readonly family: StageFamily;
  readonly documentation: string;
  /** What its name is the name of; undefined where it needs no name. */
  readonly label: string | undefined;
}

/** A stage to be written, in the flow around an offset. */
export interface NewStage {
  readonly path: readonly string[];
  readonly label?: string | undefined;
  /** The offset of a stage that it is to follow, where both are of one kind; absent: it follows the last of its kind. */
  readonly behind?: number | undefined;
}

export interface InsertedStage {
  readonly edits: readonly TextEdit[];
  /** What is written next, in the text after the edits: the value of the first attribute, or the empty block. */
  readonly select: Range;
}

/** What may still be written in the flow around an offset, in the order in which a message meets it. */
export function stageChoices(
  file: FileState,
  offset: number,
  state: ProjectState,
  support: LanguageSupport,
): readonly StageChoice[] {
  const found = flowAround(file, offset, state, support);
  if (found === undefined) return [];
  const choices: StageChoice[] = [];
  for (const { path, family } of found.places) {
    const known = choices.some((one) => one.path.join('.') === path.join('.'));
    const part = partAt(found, path);
    if (known || part === undefined || !isFree(found, path)) continue;
    const label = 'blocks' in part ? part.label?.doc : undefined;
    choices.push({ path, family, documentation: part.doc, label });
  }
  return choices;
}

/**
 * Writes a stage where a message meets it among the others, and nothing else. Throws EditRefused when the flow may not
 * have it.
 */
export function insertStage(
  file: FileState,
  offset: number,
  stage: NewStage,
  state: ProjectState,
  support: LanguageSupport,
): InsertedStage {
  const { path, label } = stage;
  const found = flowAround(file, offset, state, support);
  if (found === undefined) throw new EditRefused('there is no flow here');
  const { block } = found;
  const title = path.join(' ');
  const part = partAt(found, path);
  if (part === undefined) throw new EditRefused(`${block.type.text} has no block ${title}`);
  if (!isFree(found, path)) throw new EditRefused(`${title} is written already`);
  const needsLabel = 'blocks' in part && part.label !== undefined;
  if (needsLabel ? label === undefined || !isName(label) : label !== undefined)
    throw new EditRefused(needsLabel ? `${title} needs a ${part.label?.name}` : `${title} has no name`);
  const taken = block.body.items.some(
    (item) => item.kind === 'block' && item.type.text === path[0] && item.labels[0]?.text === label,
  );
  if (label !== undefined && taken) throw new EditRefused(`there is a ${title} "${label}" already`);
  const { tree } = file;
  const edits = kept(tree, editsOf(file, found, stage, part), { removes: 0, adds: Number.POSITIVE_INFINITY });
  return { edits, select: selectionIn(applyEdits(tree.text, edits), edits, tree.file) };
}

interface FlowAround {
  readonly block: Block;
  readonly spec: BlockSpec;
  readonly places: readonly StagePlace[];
}

function flowAround(
  { tree }: FileState,
  offset: number,
  { vocabulary }: Pick<ProjectState, 'vocabulary'>,
  { outline }: LanguageSupport,
): FlowAround | undefined {
  const [block] = locate(tree, offset).blocks;
  const word = block?.type.text ?? '';
  const places = placesOf(outline, word);
  const spec = Object.hasOwn(vocabulary.blocks, word) ? vocabulary.blocks[word] : undefined;
  return block && places && spec && { block, spec, places };
}

/** The vocabulary of a path of words: a block, or the attribute that the last word is. */
function partAt({ spec }: FlowAround, [word = '', ...rest]: readonly string[]): BlockSpec | AttributeSpec | undefined {
  const own = Object.hasOwn(spec.blocks, word) ? spec.blocks[word] : undefined;
  const [inner] = rest;
  if (inner === undefined || own === undefined) return own;
  if (Object.hasOwn(own.blocks, inner)) return own.blocks[inner];
  return Object.hasOwn(own.attributes, inner) ? own.attributes[inner] : undefined;
}

/** Whether what a path leads to may be written again. */
function isFree(found: FlowAround, path: readonly string[]): boolean {
  const part = partAt(found, path);
  let items: readonly BodyItem[] = found.block.body.items;
  for (const [at, word] of path.entries()) {
    const item = items.find((one) => wordOf(one) === word);
    // What has a name is written into a block that is there.
    if (item === undefined) return at === path.length - 1 || part === undefined || !hasLabel(part);
    if (at === path.length - 1) return part !== undefined && 'blocks' in part && part.repeated;
    items = item.kind === 'block' ? item.body.items : [];
  }
  return false;
}

function hasLabel(part: BlockSpec | AttributeSpec): boolean {
  return 'blocks' in part && part.label !== undefined;
}

function wordOf(item: BodyItem): string {
  return (item.kind === 'attribute' ? item.name : item.type).text;
}

function editsOf(
  { tree }: FileState,
  found: FlowAround,
  { path: [word = '', inner], label, behind }: NewStage,
  part: BlockSpec | AttributeSpec,
): readonly TextEdit[] {
  const { block, spec } = found;
  const { path } = locate(tree, block.start + 1);
  const outer = spec.blocks[word] as BlockSpec;
  const labels = label === undefined ? [] : [label];
  const around = inner === undefined ? undefined : block.body.items.find((one) => wordOf(one) === word);
  if (inner !== undefined && around?.kind === 'block') {
    const within = locate(tree, around.start + 1).path;
    if (!('blocks' in part)) return setAttribute(tree, within, inner, placeholderOf(part));
    return addBlock(tree, within, skeletonOf(inner, labels, part));
  }
  if (around !== undefined) throw new EditRefused(`${word} is not written as a block`);
  const known =
    inner === undefined
      ? {}
      : 'blocks' in part
        ? { blocks: { [inner]: {} } }
        : { attributes: { [inner]: placeholderOf(part) } };
  const source = skeletonOf(word, inner === undefined ? labels : [], outer, known);
  return insertBlock(tree, path, source, previousOf(found, word, behind));
}

/** The item that a new block follows: the last one that a message meets before it, else the last attribute. */
function previousOf({ block, places }: FlowAround, word: string, behind: number | undefined): BodyItem | undefined {
  const { items } = block.body;
  const orderOf = (name: string) => places.findIndex(({ path }) => path[0] === name);
  const wanted = items.find((item) => behind !== undefined && item.start <= behind && behind <= item.end);
  if (wanted !== undefined && wordOf(wanted) === word) return wanted;
  const own = orderOf(word);
  return items.findLast((item) => item.kind === 'attribute' || orderOf(wordOf(item)) <= own);
}

/** The value of the first attribute that was written, without its quotes; else the first place inside of the block. */
function selectionIn(text: string, edits: readonly TextEdit[], file: string): Range {
  const start = Math.min(...edits.map(({ range }) => range.start));
  const added = edits.reduce((sum, edit) => sum + edit.text.length - (edit.range.end - edit.range.start), 0);
  const { body } = parseHcl(text, file);
  const end = start + Math.max(added, 0);
  const first = firstAttribute(body.items, start, end);
  const { value } = first ?? {};
  if (value !== undefined) {
    const quoted = value.kind === 'template' && value.form === 'quoted' && literalText(value) !== undefined;
    return quoted ? { start: value.start + 1, end: value.end - 1 } : { start: value.start, end: value.end };
  }
  const brace = text.indexOf('{', start);
  const at = brace < 0 || brace >= end ? end : brace + 1;
  return { start: at, end: at };
}

function firstAttribute(items: readonly BodyItem[], start: number, end: number): Attribute | undefined {
  for (const item of items) {
    if (item.end < start || item.start > end) continue;
    if (item.kind === 'attribute') {
      if (item.start >= start) return item;
      continue;
    }
    const found = firstAttribute(item.body.items, start, end);
    if (found !== undefined) return found;
  }
  return undefined;
}
