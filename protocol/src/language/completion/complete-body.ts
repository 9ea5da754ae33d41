import { type AttributeSpec, type BlockSpec, defaultText, kindText, type Vocabulary } from '../../schema/index.ts';
import type { Range } from '../../text/index.ts';
import type { WrittenBody } from '../written.ts';
import type { CompletionItem } from './completion.ts';

/** Blocks and attributes that may still be written in a body; `range` is the word that is being written. */
export function completeBody(body: WrittenBody, vocabulary: Vocabulary, range: Range): readonly CompletionItem[] {
  if (body.block === undefined) return rootItems(vocabulary, range);
  const { spec } = body;
  if (spec === undefined) return [];
  const written = new Set(
    body.body.items
      .filter((item) => item.start > range.end || item.end < range.start)
      .map((item) => (item.kind === 'attribute' ? item.name.text : item.type.text)),
  );
  const attributes = Object.entries(spec.attributes)
    .filter(([name, { aliases }]) => !written.has(name) && !aliases.some((alias) => written.has(alias)))
    .map(([name, attribute]) => attributeItem(name, attribute, range));
  const blocks = Object.entries(spec.blocks)
    .filter(([name, { repeated }]) => repeated || !written.has(name))
    .map(([name, block]) => blockItem(name, block, range));
  return [...attributes, ...blocks];
}

/** Columns that no field of the body is written to yet. */
export function completeColumns(
  { body }: WrittenBody,
  columns: readonly string[],
  range: Range,
): readonly CompletionItem[] {
  const written = new Set(
    body.items.flatMap((item) =>
      item.kind === 'attribute' && (item.start > range.end || item.end < range.start) ? [item.name.text] : [],
    ),
  );
  return columns
    .filter((name) => /^[A-Za-z_][\w-]*$/.test(name) && !written.has(name))
    .map((name) => ({
      label: name,
      kind: 'field',
      detail: 'column',
      doc: undefined,
      edit: { range, text: `${name} = ` },
      snippet: `${name} = "$0"`,
      rank: 0,
    }));
}

function rootItems({ blocks, profiled }: Vocabulary, range: Range): readonly CompletionItem[] {
  const connector: BlockSpec = {
    ...profiled,
    doc: 'Something outside of the service: a server, a database, a cache.',
    label: { name: 'name', doc: 'Name by which flows call the connector.' },
  };
  return Object.entries({ connector, ...blocks }).map(([word, spec]) => blockItem(word, spec, range));
}

function attributeItem(name: string, spec: AttributeSpec, range: Range): CompletionItem {
  const standard = defaultText(spec);
  const facts = [kindText(spec), spec.required ? 'required' : undefined, standard && `default ${standard}`];
  return {
    label: name,
    kind: 'attribute',
    detail: facts.filter((fact) => fact !== undefined).join('; '),
    doc: spec.doc,
    edit: { range, text: `${name} = ` },
    snippet: `${name} = ${placeholderOf(spec)}`,
    rank: spec.required ? 0 : 1,
  };
}

/** The cursor is in quotes where a text is certain. */
function placeholderOf({ kind }: AttributeSpec): string {
  return ['text', 'cel', 'template', 'reference', 'duration', 'size'].includes(kind) ? '"$0"' : '$0';
}

function blockItem(word: string, spec: BlockSpec, range: Range): CompletionItem {
  const head = spec.over ? ` "\${1:${spec.label?.name}}" in "$2"` : spec.label ? ` "\${1:${spec.label.name}}"` : '';
  const plain = spec.label ? ` "${spec.label.name}"` : '';
  return {
    label: word,
    kind: 'block',
    detail: spec.required ? 'block; required' : 'block',
    doc: spec.doc,
    edit: { range, text: `${word}${plain} {\n}` },
    snippet: `${word}${head} {\n  $0\n}`,
    rank: spec.required ? 0 : 2,
  };
}
