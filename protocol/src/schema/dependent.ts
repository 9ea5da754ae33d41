import type { AttributeSpec } from './attribute.ts';
import type { BlockSpec, BodyRule } from './block.ts';
import type { ConnectorSpec } from './connector.ts';

/** Says of a block that the connector which it names adds words to those that every connector takes. */
export interface DependentWords {
  /** The attribute that names the connector. */
  readonly by: string;
  /** The place under which connectors say what may be written here; see `ConnectorSpec.words`. */
  readonly at: string;
  /** Variables in scope of the expressions in these words. */
  readonly reads: readonly string[];
  /**
   * Words that the owner of the block carries out itself for the connectors that take them: they are decoded beside its
   * own, and a connector takes one by naming the very spec. All others are decoded into `words`, for the connector
   * alone.
   */
  readonly shared?: BlockSpec | undefined;
}

/** As `reads` of an expression in the words of a connector: those variables that the place has where it is written. */
export const ofPlace: readonly string[] = Object.freeze([]);

/** What may be written in a block of this spec that names a connector which acts by one of `connectors`. */
export function withWords(spec: BlockSpec, connectors: readonly ConnectorSpec[]): BlockSpec {
  const { dependent } = spec;
  if (dependent === undefined) return spec;
  const [first] = connectors;
  if (first === undefined || connectors.length > 1) return joined(spec, dependent, connectors);
  const bySpec = kept.get(spec) ?? new WeakMap<ConnectorSpec, BlockSpec>();
  kept.set(spec, bySpec);
  const known = bySpec.get(first) ?? joined(spec, dependent, connectors);
  bySpec.set(first, known);
  return known;
}

/** Decoding asks for each block of a configuration; there are few pairs of block and connector. */
const kept = new WeakMap<BlockSpec, WeakMap<ConnectorSpec, BlockSpec>>();

function joined(spec: BlockSpec, dependent: DependentWords, connectors: readonly ConnectorSpec[]): BlockSpec {
  const words = wordsAt(dependent, connectors).map((each) => inPlace(each, dependent.reads));
  const attributes = Object.assign({ ...spec.attributes }, ...words.toReversed().map((each) => each.attributes));
  const blocks = Object.assign({ ...spec.blocks }, ...words.toReversed().map((each) => each.blocks));
  const isComplete = connectors.length > 0 && connectors.every(({ target }) => target?.runs === true);
  const own = isComplete ? spec.rules.filter(({ rule }) => rule !== 'atLeastOneOf') : spec.rules;
  const rules = [...own, ...words.flatMap((each) => each.rules)];
  return {
    ...spec,
    attributes,
    blocks,
    rules: rules.flatMap((rule) => possible(rule, { ...attributes, ...blocks })),
    unavailable: [spec, ...words].flatMap(({ unavailable }) => unavailable),
  };
}

/** While the connector is unknown: the words of all connectors, none of which must be written. */
export function withAnyWords(spec: BlockSpec, connectors: readonly ConnectorSpec[]): BlockSpec {
  const all = withWords(spec, connectors);
  const optional = <T extends { readonly required: boolean }>(
    specs: Readonly<Record<string, T>>,
    own: Readonly<Record<string, T>>,
  ) => changed(specs, (one) => (Object.values(own).includes(one) ? one : { ...one, required: false }));
  return {
    ...all,
    attributes: optional(all.attributes, spec.attributes),
    blocks: optional(all.blocks, spec.blocks),
    rules: spec.rules,
  };
}

/** The words that these connectors add at a place, in their order. */
function wordsAt({ at }: DependentWords, connectors: readonly ConnectorSpec[]): readonly BlockSpec[] {
  return [...new Set(connectors.flatMap(({ words }) => (Object.hasOwn(words, at) ? [words[at] as BlockSpec] : [])))];
}

/** Whether a connector takes a word at a place. */
export function takesWord({ words }: ConnectorSpec, at: string, word: string): boolean {
  const own = Object.hasOwn(words, at) ? words[at] : undefined;
  return own !== undefined && (Object.hasOwn(own.attributes, word) || Object.hasOwn(own.blocks, word));
}

/** The words that these connectors add to a block, sorted. */
export function addedWords(dependent: DependentWords, connectors: readonly ConnectorSpec[]): readonly string[] {
  const found = wordsAt(dependent, connectors).flatMap(({ attributes, blocks }) => [
    ...Object.keys(attributes),
    ...Object.keys(blocks),
  ]);
  return [...new Set(found)].sort();
}

/** Whether a word of these connectors is one that the owner of the block carries out. */
export function isShared({ at, shared }: DependentWords, word: string, connectors: readonly ConnectorSpec[]): boolean {
  return connectors.some(({ words }) => {
    const own = Object.hasOwn(words, at) ? words[at] : undefined;
    const attribute = own?.attributes[word];
    const block = own?.blocks[word];
    return (
      (attribute !== undefined && attribute === shared?.attributes[word]) ||
      (block !== undefined && block === shared?.blocks[word])
    );
  });
}

/** A rule about what may be written at all: names of words that the connector does not take fall away. */
function possible(rule: BodyRule, words: Readonly<Record<string, unknown>>): BodyRule[] {
  if (!('names' in rule)) return [rule];
  const names = rule.names.filter((name) => Object.hasOwn(words, name));
  return names.length > 1 || (names.length === 1 && rule.rule !== 'atMostOneOf') ? [{ ...rule, names }] : [];
}

function inPlace(words: BlockSpec, reads: readonly string[]): BlockSpec {
  const attribute = (spec: AttributeSpec): AttributeSpec => (spec.reads === ofPlace ? { ...spec, reads } : spec);
  const attributes = changed(words.attributes, attribute);
  const blocks = changed(words.blocks, (inner) => inPlace(inner, reads));
  const fields = words.fields && attribute(words.fields);
  const same = attributes === words.attributes && blocks === words.blocks && fields === words.fields;
  return same ? words : { ...words, attributes, blocks, fields };
}

/** The record with every entry changed; the record itself when none is. */
function changed<T>(record: Readonly<Record<string, T>>, change: (value: T) => T): Readonly<Record<string, T>> {
  const entries = Object.entries(record).map(([name, value]) => [name, value, change(value)] as const);
  if (entries.every(([, before, now]) => before === now)) return record;
  return Object.fromEntries(entries.map(([name, , now]) => [name, now]));
}
