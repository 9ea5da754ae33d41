import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import { answerBudget } from '../budget.ts';
import { decodeBody } from '../decode.ts';
import { rowOf, Spending } from '../records.ts';
import { json as codec } from '../registry.ts';
import type { FileFormat } from './file-format.ts';
import { itemsOf } from './json-items.ts';

/** A list of JSON, of which each item is a row, or another value, which is one. Written with two blanks of indentation. */
export const json: FileFormat = {
  name: 'json',
  contentType: 'application/json; charset=utf-8',
  continues: false,
  async *rows(source, { budget }) {
    const spending = new Spending(budget);
    let number = 0;
    for await (const bytes of itemsOf(source)) {
      number++;
      const row = rowOf(await decoded(bytes, number));
      spending.add(row);
      yield row;
    }
  },
  *pieces(value) {
    if (!Array.isArray(value)) {
      yield `${JSON.stringify(toJson(value), undefined, 2)}\n`;
      return;
    }
    yield '[';
    for (const [at, item] of value.entries()) {
      const text = JSON.stringify(toJson(item), undefined, 2) ?? 'null';
      yield `${at === 0 ? '' : ','}\n  ${text.replaceAll('\n', '\n  ')}`;
    }
    yield value.length === 0 ? ']\n' : '\n]\n';
  },
};

async function decoded(bytes: Buffer, number: number): Promise<unknown> {
  try {
    const value = decodeBody(codec, bytes, { budget: answerBudget });
    return value instanceof Promise ? await value : value;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw error.reworded(error.message.replace(/^the body/, `item ${number} of the file`));
  }
}
