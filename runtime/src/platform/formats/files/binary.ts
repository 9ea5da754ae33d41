import { Failure } from '../../../foundation/errors/failure.ts';
import type { FileFormat } from './file-format.ts';
import { wholeOf } from './whole.ts';

/** Bytes as they are: one row `{data, size}`. */
export const binary: FileFormat = {
  name: 'binary',
  contentType: 'application/octet-stream',
  continues: true,
  async *rows(source) {
    const data = await wholeOf(source);
    yield { data: new Uint8Array(data.buffer, data.byteOffset, data.byteLength), size: data.byteLength };
  },
  *pieces(value) {
    yield bytesOf(value);
  },
};

function bytesOf(value: unknown): Uint8Array | string {
  if (value instanceof Uint8Array || typeof value === 'string') return value;
  const fields = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  for (const name of ['data', 'content', '_binary']) {
    const given = fields[name];
    if (given instanceof Uint8Array) return given;
    if (typeof given === 'string') return name === 'content' ? given : Buffer.from(given, 'base64');
  }
  throw new Failure('value_refused', 'a binary file takes bytes, or a text: write them as content');
}
