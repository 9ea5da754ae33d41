import { Failure } from '../../errors/failure.ts';
import { decodeJson, encodeJson } from '../json.ts';
import type { FileFormat } from './file-format.ts';
import { linesOf } from './line-reader.ts';
import { itemsOf, rowOf, Spending } from './records.ts';

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

function decodeLine(line: string, number: number): unknown {
  try {
    return decodeJson(line);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.reworded(error.message.replace(/^the body/, `line ${number}`));
  }
}
