import { toJson } from '@svc/protocol/cel';
import { encodeJson } from '../json.ts';
import { Spending } from '../records.ts';
import type { FileFormat } from './file-format.ts';
import { linesOf } from './line-reader.ts';

/** Texts, one in each line: rows `{line, content}`, the first line is 1. */
export const lines: FileFormat = {
  name: 'lines',
  contentType: 'text/plain; charset=utf-8',
  continues: true,
  async *rows(source, { budget }) {
    const spending = new Spending(budget);
    let line = 0;
    for await (const content of linesOf(source)) {
      line++;
      const row = { line, content };
      spending.add(row);
      yield row;
    }
  },
  *pieces(value) {
    for (const item of linesIn(value)) yield `${lineOf(item)}\n`;
  },
};

function linesIn(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null)
    for (const name of ['lines', 'rows', 'content']) {
      const given = (value as Readonly<Record<string, unknown>>)[name];
      if (given !== undefined) return linesIn(given);
    }
  return [value];
}

function lineOf(item: unknown): string {
  if (typeof item === 'string') return item;
  const content =
    typeof item === 'object' && item !== null ? (item as { readonly content?: unknown }).content : undefined;
  if (typeof content === 'string') return content;
  const plain = toJson(item);
  return typeof plain === 'object' ? encodeJson(item) : String(plain);
}
