import { expect, test } from 'vitest';
import { bookOf, textRow } from '../../platform/formats/excel/testing/package.ts';
import { codecOf } from '../../platform/formats/registry.ts';
import { fileOf, keepFile, readAnswer } from './answer.ts';
import { Codecs } from './peer.ts';

const isFile = (type: string | undefined) =>
  keepFile(type === undefined ? {} : { 'content-type': type }, new Set()) !== undefined;

test.each([
  ['image/png', true],
  ['application/octet-stream', true],
  ['APPLICATION/PDF', true],
  ['application/vnd.ms-excel', true],
  ['font/woff2', true],
  ['text/plain', false],
  ['text/csv; header=present', false],
  ['application/json', false],
  ['application/problem+json', false],
  ['image/svg+xml', false],
  ['application/x-ndjson', false],
  ['application/yaml', false],
  ['application/x-own; charset=latin1', false],
  ['nonsense', false],
  [undefined, false],
])('an answer of type %s is a file: %s', (type, expected) => {
  expect(isFile(type)).toBe(expected);
});

test('a workbook is a file, unless its format is named: then it is its rows', async () => {
  const excel = (await codecOf('excel')).contentType;
  const headers = { 'content-type': excel };
  const named = new Set(['json', 'excel'] as const);
  expect([isFile(excel), keepFile(headers, named)]).toEqual([true, undefined]);
  const answer = (body: Buffer) => readAnswer({ status: 200, statusText: '', headers, body }, named, new Codecs());
  expect(await answer(bookOf({ sheets: { S: textRow('a') + textRow('1') } }))).toEqual({ a: '1', rows: [{ a: '1' }] });
  await expect(answer(Buffer.from('PK broken'))).rejects.toMatchObject({ code: 'connector_failed' });
});

test.each([
  ['attachment; filename="a \\"b\\".pdf"', 'a "b".pdf'],
  ['attachment; filename=plain.pdf; size=7', 'plain.pdf'],
  ["attachment; filename=plain.pdf; filename*=UTF-8''na%C3%AFve.pdf", 'naïve.pdf'],
  ["attachment; filename*=UTF-8''%ZZ; filename=other.pdf", 'other.pdf'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ['attachment; filename="C:\\\\temp\\\\x.exe"', 'x.exe'],
  [`attachment; filename="${'n'.repeat(400)}"`, 'n'.repeat(255)],
  ['inline', ''],
  [undefined, ''],
])('the name in %j is %j', async (disposition, name) => {
  const headers = { 'content-type': 'application/pdf', 'content-disposition': disposition };
  const kept = keepFile(headers, new Set());
  if (kept === undefined) throw new Error('it is a file');
  await kept.append(Buffer.from('x'));
  const file = await fileOf({ status: 200, statusText: '', headers, body: Buffer.alloc(0), kept }, undefined);
  expect([file?.filename, file?.content_type, file?.size]).toEqual([name, 'application/pdf', 1n]);
});
