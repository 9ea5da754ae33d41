import { answerBudget } from '../budget.ts';
import { decodeBody } from '../decode.ts';
import { codecOf } from '../registry.ts';
import type { FileFormat, Row } from './file-format.ts';
import { rowOf } from './records.ts';
import { wholeOf } from './whole.ts';

/** A document of XML: the elements of its root where they all have one name, else the root as one row. */
export const xml: FileFormat = {
  name: 'xml',
  contentType: 'application/xml; charset=utf-8',
  continues: false,
  async *rows(source, { budget = answerBudget }) {
    const value = await decodeBody(await codecOf('xml'), await wholeOf(source), { budget });
    yield* recordsIn(value).map(rowOf);
  },
  async *pieces(value) {
    yield (await codecOf('xml')).encode(value);
  },
};

function recordsIn(value: unknown): readonly unknown[] {
  const row = rowOf(value) as Row;
  const [only, ...others] = Object.values(row);
  return others.length === 0 && Array.isArray(only) ? only : [row];
}
