import { encodeJson } from '../json.ts';
import { decodeLine } from '../ndjson.ts';
import { itemsOf, rowOf, Spending } from '../records.ts';
import type { FileFormat } from './file-format.ts';
import { linesOf } from './line-reader.ts';

/** A JSON value in each line (JSON Lines). Empty lines are passed over. */
export const ndjson: FileFormat = {
  name: 'ndjson',
  contentType: 'application/x-ndjson',
  continues: true,
  async *rows(source, { budget }) {
    const spending = new Spending(budget);
    let number = 0;
    for await (const line of linesOf(source)) {
      number++;
      if (line.trim() === '') continue;
      const row = rowOf(decodeLine(line, number));
      spending.add(row);
      yield row;
    }
  },
  *pieces(value) {
    for (const item of itemsOf(value)) yield `${encodeJson(item)}\n`;
  },
};
