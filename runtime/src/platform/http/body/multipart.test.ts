import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Content } from '../../../foundation/contracts/content.ts';
import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { readMultipart } from './multipart.ts';

const field = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (name: string, value: string) =>
  `--b\r\nContent-Disposition: form-data; name="${name}"; filename="${name}.bin"\r\n\r\n${value}\r\n`;

/** Bytes in memory of their own, as they come from a socket: such memory may be freed when the chunk was taken. */
function alone(bytes: Uint8Array): Buffer {
  return Buffer.from(Uint8Array.from(bytes).buffer);
}

/** Reads a form that comes in these chunks. */
async function formOf(chunks: readonly Uint8Array[]) {
  const request = Object.assign(Readable.from(chunks.map(alone)), {
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
  });
  const exchange = { request, takeBody: () => undefined, leaveBody: () => undefined };
  const { fields, files, kept } = await readMultipart(exchange as unknown as HttpExchange, 1_000_000);
  const texts = Object.entries(files).map(([name, content]) => [name, atob((content as Content).data)]);
  kept.close();
  return { fields: { ...fields }, files: Object.fromEntries(texts) };
}

describe('a form is the same wherever it is cut', () => {
  const text = `${field('first', 'value of a field')}${file('doc', 'bytes of a file')}${field('last', 'ünï')}--b--\r\n`;
  const bytes = Buffer.from(text);
  const whole = { fields: { first: 'value of a field', last: 'ünï' }, files: { doc: 'bytes of a file' } };

  test('once, at any byte', async () => {
    for (let at = 1; at < bytes.length; at++)
      expect([at, await formOf([bytes.subarray(0, at), bytes.subarray(at)])]).toEqual([at, whole]);
  });

  test.each([1, 2, 5, 16])('again and again, every %i bytes', async (size) => {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    expect(await formOf(chunks)).toEqual(whole);
  });

  test('inside a field of many chunks', async () => {
    const value = Array.from({ length: 20_000 }, (_, at) => String(at)).join(' ');
    const long = Buffer.from(`${field('long', value)}--b--\r\n`);
    const chunks = Array.from({ length: Math.ceil(long.length / 16_384) }, (_, at) =>
      long.subarray(at * 16_384, (at + 1) * 16_384),
    );
    expect(await formOf(chunks)).toEqual({ fields: { long: value }, files: {} });
  });
});
