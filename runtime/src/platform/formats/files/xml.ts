import { Failure } from '../../../foundation/errors/failure.ts';
import { answerBudget } from '../budget.ts';
import { addField } from '../form.ts';
import { rowOf, Spending } from '../records.ts';
import { codecOf } from '../registry.ts';
import { asMap } from '../xml/decode.ts';
import { textsOf } from '../xml/texts.ts';
import { XmlTree } from '../xml/tree.ts';
import type { FileFormat, ReadingStyle, Row } from './file-format.ts';
import { largestWhole, tooLargeToHold } from './whole.ts';

/**
 * A document of XML: the elements of its root where they all have one name and there are two or more, with the attributes
 * of the root; else the root as one row. The rows of a large document come while it is read.
 */
export const xml: FileFormat = {
  name: 'xml',
  contentType: 'application/xml; charset=utf-8',
  continues: false,
  rows: recordsOf,
  async *pieces(value) {
    const codec = await codecOf('xml');
    const pieces = codec.pieces?.(value);
    if (pieces === undefined) yield codec.encode(value);
    else yield* pieces;
  },
};

/** Values of elements that are held until it is known that they are rows. */
const heldValues = 10_000;

/** What is known of the elements of the root. */
type Kind = 'unknown' | 'rows' | 'fields';

async function* recordsOf(source: AsyncIterable<Uint8Array>, { budget }: ReadingStyle): AsyncGenerator<Row> {
  const spending = new Spending(budget);
  const held: [name: string, value: unknown][] = [];
  let kind: Kind = 'unknown';
  let name: string | undefined;
  const tree = new XmlTree(budget ?? answerBudget, (child, value) => {
    held.push([child, value]);
    if (kind === 'unknown') name ??= child;
    if (child === name) return;
    if (kind === 'rows') throw amongRows(`the element <${child}>`, name as string);
    kind = 'fields';
  });
  const asRow = ([, value]: (typeof held)[number]): Row => {
    const row = withAttributes(rowOf(value), tree.attributes);
    spending.add(row);
    return row;
  };
  let unfinished = 0;
  for await (const text of textsOf(source)) {
    unfinished += text.length;
    if (unfinished > largestWhole) throw tooLargeToHold();
    tree.write(text);
    if (kind === 'unknown' && held.length > 1 && tree.spent > heldValues && tree.text === '') kind = 'rows';
    if (kind !== 'rows' || held.length === 0) continue;
    if (tree.text !== '') throw amongRows('a text', name as string);
    tree.startOver();
    unfinished = 0;
    for (const child of held.splice(0)) yield asRow(child);
  }
  const content = tree.end();
  const isRoot = typeof content === 'string' ? content !== '' : Object.hasOwn(content as Row, '#text');
  if (kind === 'rows' && isRoot) throw amongRows('a text', name as string);
  if (kind === 'rows' || (kind === 'unknown' && held.length > 1 && !isRoot)) {
    for (const child of held) yield asRow(child);
    return;
  }
  yield rootWith(content, held);
}

/** The root as a row. */
function rootWith(content: unknown, children: readonly [string, unknown][]): Row {
  if (children.length === 0) return asMap(content);
  const row = typeof content === 'string' ? asMap('') : (content as Record<string, unknown>);
  if (typeof content === 'string' && content !== '') row['#text'] = content;
  for (const [name, value] of children) addField(row, name, value);
  return row;
}

function withAttributes(row: Row, attributes: Row | undefined): Row {
  return attributes === undefined ? row : Object.assign(Object.create(null), attributes, row);
}

function amongRows(what: string, name: string): Failure {
  return new Failure(
    'body_undecodable',
    `the file is too large to be one row, and its rows <${name}> are followed by ${what}`,
  );
}
