import { describe, expect, test } from 'vitest';
import { bookOf, textRow } from '../../platform/formats/excel/testing/package.ts';
import { bodyFormatNames } from '../../platform/formats/format-spec.ts';
import { codecOf } from '../../platform/formats/registry.ts';
import { binding, echo, reply, served } from './testing/served.ts';

const post = (body: string | Uint8Array<ArrayBuffer>, type: string) => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});
const codeOf = ({ status, json }: { status: number; json: unknown }) => [status, (json as { code: string }).code];

const samples = {
  json: ['{"a":"1"}', 'application/json'],
  ndjson: ['{"a":"1"}\n', 'application/x-ndjson'],
  excel: [
    new Uint8Array(bookOf({ sheets: { Data: textRow('a') + textRow('1') } })),
    'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ],
  xml: ['<r><a>1</a></r>', 'application/xml'],
  csv: ['a\n1\n', 'text/csv'],
  tsv: ['a\n1\n', 'text/tab-separated-values'],
  form: ['a=1', 'application/x-www-form-urlencoded'],
} as const;
const byDefault = new Set(['json', 'form']);

describe('formats of bodies', () => {
  test.each(bodyFormatNames)(
    '%s is decoded where it is named, and by default only JSON and forms are',
    async (name) => {
      const [body, type] = samples[name];
      const handle = binding('POST /a', ({ input }) => reply({ a: input['a'] }));
      await using plain = await served([handle]);
      await using naming = await served([handle], { config: { body_formats: [name] } });
      const other = name === 'json' ? 'xml' : 'json';
      await using different = await served([handle], { config: { format: other, body_formats: [other] } });
      expect((await naming.ask('/a', post(body, type))).status).toBe(200);
      expect((await plain.ask('/a', post(body, type))).status).toBe(byDefault.has(name) ? 200 : 415);
      expect(codeOf(await different.ask('/a', post(body, type)))).toEqual([415, 'media_type_unsupported']);
    },
  );

  test('a large workbook is answered piece by piece, and one that cannot be written is 500 before it begins', async () => {
    const rows = Array.from({ length: 6_000 }, (_, at) => ({ a: at, b: `b${at}` }));
    const words = { words: { format: 'excel' } };
    await using server = await served([
      binding('GET /large', () => reply(rows), words),
      binding('GET /broken', () => reply([...rows, { a: 'x'.repeat(40_000) }]), words),
    ]);
    const answer = await fetch(`${server.url}/large`);
    const read = await (await codecOf('excel')).decode(new Uint8Array(await answer.arrayBuffer()));
    expect([answer.status, answer.headers.get('content-length'), read]).toEqual([
      200,
      null,
      { rows: rows.map(({ a, b }) => ({ a: String(a), b })) },
    ]);
    expect((await server.ask('/broken')).status).toBe(500);
  });

  test('formulas in tables are written as text, unless the connector leaves them as they are', async () => {
    const handle = binding('GET /a', () => reply([{ a: '=1+1' }]), { words: { format: 'csv' } });
    await using escaping = await served([handle]);
    await using plain = await served([handle], { config: { escape_formulas: false } });
    expect([(await escaping.ask('/a')).text, (await plain.ask('/a')).text]).toEqual([
      "a\r\n'=1+1\r\n",
      'a\r\n=1+1\r\n',
    ]);
  });

  test('a refusal says what to write', async () => {
    await using server = await served([binding('POST /a', echo)]);
    expect((await server.ask('/a', post('a\n1', 'text/csv'))).json).toEqual({
      error:
        'a body of type text/csv is not accepted; to accept it, write format = "csv" in the `from` block of the flow, or "csv" in body_formats of the connector',
      code: 'media_type_unsupported',
    });
    expect((await server.ask('/a', post('x', 'image/png'))).json).toEqual({
      error: 'a body of type image/png is not accepted',
      code: 'media_type_unsupported',
    });
  });

  test('forms with files are forms', async () => {
    const form = new FormData();
    form.set('doc', new Blob(['abc']), 'x');
    const config = { body_formats: ['json'] };
    await using server = await served([binding('POST /a', echo)], { config });
    expect(codeOf(await server.ask('/a', { method: 'POST', body: form }))).toEqual([415, 'media_type_unsupported']);
  });

  test.each([
    ['xml', '<a><b></a>'],
    ['xml', '<!DOCTYPE a><a/>'],
    ['csv', 'a\n"b'],
  ])('malformed %s is 400', async (format, body) => {
    await using server = await served([binding('POST /a', echo, { words: { format } })]);
    expect(codeOf(await server.ask('/a', post(body, 'text/plain')))).toEqual([400, 'body_undecodable']);
  });
});

describe('bodies that decode to much', () => {
  test('a wide header and many short rows are refused, and the process answers meanwhile', async () => {
    await using server = await served([
      binding('POST /a', ({ input }) => reply((input['rows'] as unknown[]).length), { words: { format: 'csv' } }),
      binding('GET /b', () => reply(1)),
    ]);
    const header = Array.from({ length: 50_000 }, (_, at) => `c${at}`).join();
    const attack = server.ask('/a', post(`${header}\n${'1\n'.repeat(300_000)}`, 'text/csv'));
    expect((await server.ask('/b')).json).toBe(1);
    expect(codeOf(await attack)).toEqual([413, 'body_too_large']);
    const rows = await server.ask('/a', post(`${header}\n${'1\n'.repeat(15_000)}`, 'text/csv'));
    expect([rows.status, rows.text]).toEqual([200, 'value\r\n15000\r\n']);
  });

  test.each([
    ['json', `[${'1,'.repeat(500_000)}1]`],
    ['json', `[${'9'.repeat(1_000_000)}]`],
    ['json', `{${Array.from({ length: 100_001 }, (_, at) => `"${at}":1`).join()}}`],
    ['xml', `<a>${'<b/>'.repeat(250_000)}</a>`],
    ['csv', '1\n'.repeat(500_000)],
    ['tsv', '1\n'.repeat(500_000)],
    ['form', 'a&'.repeat(500_000)],
  ] as const)('a megabyte of %s that decodes to too much is 413', async (name, body) => {
    const { contentType } = await codecOf(name);
    await using server = await served([binding('POST /a', echo)], { config: { body_formats: [name] } });
    expect(codeOf(await server.ask('/a', post(body, contentType)))).toEqual([413, 'body_too_large']);
  });
});
