import type { ConnectorKind } from '../../schema/index.ts';
import { type Attribute, type Block, literalText } from '../../syntax/index.ts';
import type { Range } from '../../text/index.ts';
import type { FileState, ProjectState } from '../states.ts';
import { type LanguageSupport, type OutlineSupport, placesOf, type StageFamily, type StagePlace } from '../support.ts';
import type { WrittenBody, WrittenValue } from '../written.ts';
import { rangeOf } from './outline-stages.ts';

/** A block or an attribute of a file, as its outline and the path above the text show it. */
export interface StructureItem {
  /** `rule` is an attribute whose name the author chose, as in a mapping. */
  readonly kind: 'block' | 'attribute' | 'rule';
  /** The word of the block, the name of the attribute. */
  readonly word: string;
  /** The label of a block; for a block without one the connector that it names; empty when there is neither. */
  readonly name: string;
  /** What else says most about it, in a few words; empty when there is nothing to say. */
  readonly detail: string;
  /** The family of a stage of a flow, and of everything inside it. */
  readonly family: StageFamily | undefined;
  /** What a connector is, for its own block and for blocks that name one. */
  readonly connector: ConnectorKind | undefined;
  readonly range: Range;
  /** The part to select: the label, else the word. */
  readonly selection: Range;
  readonly children: readonly StructureItem[];
}

/** Everything that is written in a file, in written order. */
export function structureOf(file: FileState, state: ProjectState, support: LanguageSupport): readonly StructureItem[] {
  const bodies = new Map(file.written.bodies.map((body) => [body.block, body]));
  const values = new Map(file.written.values.map((value) => [value.name.start, value]));
  return itemsOf(undefined, [], { bodies, values, state, outline: support.outline });
}

interface Reading {
  readonly bodies: ReadonlyMap<Block | undefined, WrittenBody>;
  readonly values: ReadonlyMap<number, WrittenValue>;
  readonly state: ProjectState;
  readonly outline: OutlineSupport;
}

/** `path` holds the words of blocks from the root inwards. */
function itemsOf(block: Block | undefined, path: readonly string[], reading: Reading): readonly StructureItem[] {
  const items = reading.bodies.get(block)?.body.items ?? [];
  return items.map((item) =>
    item.kind === 'block'
      ? blockItem(item, [...path, item.type.text], reading)
      : attributeItem(item, placeOf([...path, item.name.text], reading), reading),
  );
}

function blockItem(block: Block, path: readonly string[], reading: Reading): StructureItem {
  const { type, labels } = block;
  const children = itemsOf(block, path, reading);
  const place = placeOf(path, reading);
  const named = textOf(block, 'connector');
  const name = labels[0]?.text || (named ?? '');
  const rules = children.filter(({ kind }) => kind === 'rule').length;
  const facts = [place?.detail, 'target', 'operation'].map((fact) => fact && textOf(block, fact));
  const fact = facts.find((text) => text !== undefined && text !== '' && text !== name) ?? '';
  const detail = rules > 0 ? `${rules} ${rules === 1 ? 'rule' : 'rules'}` : fact;
  const body = reading.bodies.get(block);
  const isConnector = path.length === 1 && type.text === 'connector';
  return {
    kind: 'block',
    word: type.text,
    name,
    detail: isConnector ? [body?.connector?.type, body?.connector?.driver].filter(Boolean).join(' ') : detail,
    family: place?.family,
    connector: isConnector ? body?.connector?.kind : kindOf(named, reading),
    range: rangeOf(block),
    selection: rangeOf(labels[0] ?? type),
    children,
  };
}

function attributeItem({ name, ...item }: Attribute, place: StagePlace | undefined, reading: Reading): StructureItem {
  return {
    kind: reading.values.get(name.start)?.isField ? 'rule' : 'attribute',
    word: name.text,
    name: '',
    detail: literalText(item.value)?.replace(/\s+/g, ' ') ?? '',
    family: place?.family,
    connector: undefined,
    range: rangeOf(item),
    selection: rangeOf(name),
    children: [],
  };
}

/** The stage that is written here or around, else the first one inside. `path` holds the words of blocks from the root. */
export function placeOf(
  [root = '', ...path]: readonly string[],
  { outline }: { readonly outline: OutlineSupport },
): StagePlace | undefined {
  const places = placesOf(outline, root);
  if (places === undefined || path.length === 0) return undefined;
  const around = places.filter((place) => place.path.every((word, at) => path[at] === word));
  const longest = around.toSorted((a, b) => b.path.length - a.path.length)[0];
  return longest ?? places.find((place) => path.every((word, at) => place.path[at] === word));
}

function textOf(block: Block, attribute: string): string | undefined {
  const found = block.body.items.find((item) => item.kind === 'attribute' && item.name.text === attribute);
  return found?.kind === 'attribute' ? literalText(found.value) : undefined;
}

function kindOf(name: string | undefined, { state }: Reading): ConnectorKind | undefined {
  const [profile] = state.project.connectors.get(name ?? '')?.profiles.values() ?? [];
  return profile?.spec?.kind;
}
