import { toJson } from '@svc/protocol/cel';
import { encodeJson } from '../json.ts';
import { textOf } from '../text.ts';
import type { FileFormat } from './file-format.ts';
import { wholeOf } from './whole.ts';

/** A text in UTF-8: one row `{content}`. */
export const text: FileFormat = {
  name: 'text',
  contentType: 'text/plain; charset=utf-8',
  continues: true,
  async *rows(source) {
    yield { content: textOf(await wholeOf(source)) };
  },
  *pieces(value) {
    yield plainText(value);
  },
};

/** The text of a value: its `content`, itself, else its JSON. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value;
  const content =
    typeof value === 'object' && value !== null ? (value as { readonly content?: unknown }).content : undefined;
  if (content !== undefined) return plainText(content);
  const plain = toJson(value);
  return typeof plain === 'object' ? encodeJson(value) : String(plain);
}
