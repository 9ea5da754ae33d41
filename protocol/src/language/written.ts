import {
  type AttributeSpec,
  type BlockSpec,
  type ConnectorSpec,
  reference,
  type Vocabulary,
  withAnyWords,
  withWords,
} from '../schema/index.ts';
import {
  type Attribute,
  type Block,
  type Body,
  type Expression,
  literalText,
  type Name,
  type SyntaxTree,
} from '../syntax/index.ts';
import { connectorOf } from './connector-spec.ts';
import type { WrittenConnectors } from './written-connectors.ts';

/** A body of the text with what may be written in it. */
export interface WrittenBody {
  /** Undefined at the root of a file, and inside unknown words. */
  readonly spec: BlockSpec | undefined;
  /** Undefined at the root. */
  readonly block: Block | undefined;
  readonly body: Body;
  readonly outer: WrittenBody | undefined;
  /** The connector that `type` and `driver` choose, in its block and everywhere below. */
  readonly connector: ConnectorSpec | undefined;
}

/** A value of the text with how it is read. */
export interface WrittenValue {
  readonly name: Name;
  /** Undefined for unknown words. */
  readonly spec: AttributeSpec | undefined;
  readonly value: Expression | undefined;
  /** Whether the author chose its name, as in a mapping. */
  readonly isField: boolean;
  readonly body: WrittenBody;
}

/** Everything of one file, read side by side with the vocabulary. */
export interface Written {
  /** The root first, every other one behind the body that it is in. */
  readonly bodies: readonly WrittenBody[];
  readonly values: readonly WrittenValue[];
}

/** Reads a tree by the vocabulary. Never throws: what is unknown has no spec. */
export function readWritten(tree: SyntaxTree, vocabulary: Vocabulary, connectors: WrittenConnectors): Written {
  const bodies: WrittenBody[] = [];
  const values: WrittenValue[] = [];
  const visit = (written: WrittenBody) => {
    bodies.push(written);
    for (const item of written.body.items) {
      if (item.kind === 'block') visit(insideOf(item, written, vocabulary, connectors));
      else readAttribute(item, written, values);
    }
  };
  visit({ spec: undefined, block: undefined, body: tree.body, outer: undefined, connector: undefined });
  return { bodies, values };
}

/** What may be written inside a block, given the body that it is in. */
function insideOf(
  block: Block,
  outer: WrittenBody,
  vocabulary: Vocabulary,
  connectors: WrittenConnectors,
): WrittenBody {
  const word = block.type.text;
  const base = { block, body: block.body, outer, connector: outer.connector };
  if (outer.block === undefined) {
    if (word === 'connector') {
      const { spec, connector } = connectorOf(block, vocabulary, true);
      return { ...base, spec, connector };
    }
    return { ...base, spec: ownSpec(vocabulary.blocks, word) };
  }
  if (word === 'profile' && outer.outer?.block === undefined && outer.block.type.text === 'connector') {
    const { spec, connector } = connectorOf(block, vocabulary, false);
    return { ...base, spec, connector };
  }
  const spec = ownSpec(outer.spec?.blocks ?? {}, word);
  if (spec?.dependent) {
    const asked = connectors.get(connectorIn(block, spec.dependent.by) ?? '');
    return { ...base, spec: asked ? withWords(spec, asked) : withWritten(spec, block, vocabulary) };
  }
  if (spec) return { ...base, spec: spec.reusable ? withUse(spec, word) : spec };
  // `params { a = 1 }` is the block form of an attribute; its entries are read as those of the attribute.
  const attribute = ownSpec(outer.spec?.attributes ?? {}, word);
  return { ...base, spec: attribute && asBody(attribute) };
}

function readAttribute(item: Attribute, body: WrittenBody, values: WrittenValue[]): void {
  const { text } = item.name;
  const { spec } = body;
  const value = (of: AttributeSpec | undefined, isField: boolean) =>
    values.push({ name: item.name, spec: of, value: item.value, isField, body });
  const attribute = attributeNamed(spec, text);
  if (attribute) return void value(attribute, false);
  const inner = ownSpec(spec?.blocks ?? {}, text);
  if (inner === undefined) return void value(spec?.fields, spec?.fields !== undefined);
  if (item.value?.kind === 'object') {
    const within: WrittenBody = { ...body, spec: inner, outer: body };
    for (const { key, value: entry } of item.value.entries) {
      const name = key.kind === 'variable' ? key.name : literalText(key);
      if (name === undefined) continue;
      const own = attributeNamed(inner, name);
      const named = { text: name, start: key.start, end: key.end };
      values.push({
        name: named,
        spec: own ?? inner.fields,
        value: entry,
        isField: own === undefined && inner.fields !== undefined,
        body: within,
      });
    }
    return;
  }
  const isText = item.value?.kind === 'template';
  if (inner.shorthand !== undefined) value(inner.attributes[inner.shorthand], false);
  else value(inner.reusable && (isText || item.value?.kind === 'attribute-access') ? useOf(text) : undefined, false);
}

/** The attribute that a written name means, by its own name or an older one. */
export function attributeNamed(spec: BlockSpec | undefined, name: string): AttributeSpec | undefined {
  if (spec === undefined) return undefined;
  const own = ownSpec(spec.attributes, name);
  return own ?? Object.values(spec.attributes).find(({ aliases }) => aliases.includes(name));
}

/** The body of the root block around a body; undefined at the root. */
export function rootOf(body: WrittenBody): WrittenBody | undefined {
  let root: WrittenBody | undefined = body;
  while (root?.outer?.outer !== undefined) root = root.outer;
  return root?.block === undefined ? undefined : root;
}

/** While the connector of a block is unknown, the words in it are read as those of any connector that takes them. */
function withWritten(spec: BlockSpec, { body }: Block, { connectors }: Vocabulary): BlockSpec {
  const all = withAnyWords(spec, connectors);
  const words = new Set(body.items.map((item) => (item.kind === 'attribute' ? item.name : item.type).text));
  const written = <T>(specs: Readonly<Record<string, T>>, common: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(specs).filter(([word]) => Object.hasOwn(common, word) || words.has(word)));
  return {
    ...spec,
    attributes: written(all.attributes, spec.attributes),
    blocks: written(all.blocks, spec.blocks),
  };
}

/** The connector that an attribute of a block names. */
function connectorIn({ body }: Block, attribute: string): string | undefined {
  const item = body.items.find((one) => one.kind === 'attribute' && one.name.text === attribute);
  return item?.kind === 'attribute' ? nameIn(item.value, 'connector') : undefined;
}

/** A name as a reference may write it: in quotes, bare, or as `kind.name`. */
export function nameIn(expression: Expression | undefined, kind: string): string | undefined {
  if (expression?.kind === 'attribute-access') return expression.name.text;
  const written = expression?.kind === 'variable' ? expression.name : literalText(expression);
  return written?.startsWith(`${kind}.`) ? written.slice(kind.length + 1) : written;
}

/** A list of names is accepted where a definition is used. */
function useOf(word: string): AttributeSpec {
  return reference(`The ${word} definitions that this block takes over; what is written here wins.`, word);
}

function withUse(spec: BlockSpec, word: string): BlockSpec {
  return { ...spec, attributes: { use: useOf(word), ...spec.attributes } };
}

/** The entries of an attribute that takes an object. */
function asBody(attribute: AttributeSpec): BlockSpec | undefined {
  const element = attribute.kind === 'map' ? attribute.element : attribute.kind === 'argument' ? attribute : undefined;
  if (element === undefined) return undefined;
  return {
    doc: attribute.doc,
    required: false,
    repeated: false,
    attributes: {},
    blocks: {},
    fields: element,
    asAttribute: true,
    reusable: false,
    definitionNeeds: [],
    rules: [],
    unavailable: [],
  };
}

function ownSpec<T>(specs: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(specs, word) ? specs[word] : undefined;
}
