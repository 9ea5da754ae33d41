import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { decodeExcel } from '../../platform/formats/excel/decode.ts';
import { bookOf, packageOf, textRow } from '../../platform/formats/excel/testing/package.ts';
import { sheetRowsOf } from '../../platform/formats/excel/workbook.ts';
import { codecOf } from '../../platform/formats/registry.ts';
import { binding, echo, reply, served } from './testing/served.ts';

const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const post = (body: Uint8Array) => ({ method: 'POST', body: new Uint8Array(body), headers: { 'content-type': type } });

describe('workbooks over HTTP', () => {
  test('a body is its rows, and an answer is a workbook', async () => {
    await using server = await served([
      binding('POST /rows', ({ input }) => reply({ rows: input['rows'], a: input['a'] }), {
        words: { format: 'excel' },
      }),
    ]);
    const answer = await server.ask('/rows', post(bookOf({ sheets: { S: textRow('a', 'b') + textRow('=1', '') } })));
    expect([answer.status, answer.headers['content-type']]).toEqual([200, type]);
    expect(answer.text.startsWith('PK')).toBe(true);
  });

  test('what an answer holds is read as it was written', async () => {
    const rows = [
      { a: '=1+1', b: 2 },
      { a: 'é', c: true },
    ];
    await using server = await served([binding('GET /rows', () => reply(rows), { words: { format: 'excel' } })]);
    const bytes = await (await fetch(`${server.url}/rows`)).bytes();
    expect((await decodeExcel(bytes))['rows']).toEqual([
      { a: '=1+1', b: '2' },
      { a: 'é', c: 'TRUE' },
    ]);
  });

  test('S-70: another file, or one that becomes too large, is refused, and the server answers on', async () => {
    await using server = await served([binding('POST /rows', echo, { words: { format: 'excel' } })]);
    const bomb = packageOf([{ name: 'xl/workbook.xml', content: 'x', claimed: 0xffff_ff00 }]);
    const answers = await Promise.all(
      [Buffer.from('a,b'), bomb, bookOf({ sheets: { S: textRow('a') } }).subarray(0, 200)].map(async (body) => {
        const { status, json } = await server.ask('/rows', post(body));
        return [status, (json as { code: string }).code];
      }),
    );
    expect(answers).toEqual([
      [400, 'body_undecodable'],
      [413, 'body_too_large'],
      [400, 'body_undecodable'],
    ]);
    expect((await server.ask('/rows', post(bookOf({ sheets: { S: textRow('a') + textRow('1') } })))).status).toBe(200);
  });

  const many = Array.from({ length: 60_000 }, (_, at) => ({ at, text: `row ${at} ${Math.random()}` }));
  const formats = ['excel', 'csv', 'xml'] as const;

  test.each(formats)('A-06: a large answer in the format %s comes whole', async (format) => {
    await using server = await served([binding('GET /rows', () => reply(many), { words: { format } })]);
    const response = await fetch(`${server.url}/rows`);
    const bytes = await response.bytes();
    const codec = await codecOf(format);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, codec.contentType]);
    if (format === 'excel') expect((await sheetRowsOf(bytes, undefined)).length).toBe(many.length + 1);
    else expect(Buffer.from(bytes).toString() === codec.encode(many)).toBe(true);
  });

  test.each(formats)('A-04: a caller who leaves a large answer in the format %s ends its writing', async (format) => {
    let read = 0;
    // A caller who does not read fills the buffers of the system long before all of this was written.
    const rows = Array.from({ length: 60_000 }, (_, at) => ({
      at,
      get text() {
        read++;
        return `${at} ${'x'.repeat(500)} ${Math.random()}`;
      },
    }));
    await using server = await served([
      binding('GET /rows', () => reply(rows), { words: { format } }),
      binding('GET /small', () => reply([{ a: 1 }])),
    ]);
    const { port, hostname } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write('GET /rows HTTP/1.1\r\nhost: a\r\n\r\n');
    await once(socket, 'readable');
    socket.destroy();
    let before = -1;
    await until(() => {
      const isOver = read === before;
      before = read;
      return isOver;
    });
    // What is written is read once for the check of a workbook, and once for its cell.
    expect(read).toBeLessThan(format === 'excel' ? 119_000 : 59_000);
    expect((await server.ask('/small')).json).toEqual([{ a: 1 }]);
  });

  test.each<[string, unknown]>([
    ['a text', 'x'.repeat(40_000)],
    ['a structure', { a: 'x'.repeat(40_000) }],
  ])('%s that is too long for a cell is said before the answer begins', async (_, text) => {
    await using server = await served([
      binding('GET /rows', () => reply([...many, { text }]), { words: { format: 'excel' } }),
    ]);
    const answer = await server.ask('/rows');
    expect([answer.status, (answer.json as { code: string }).code]).toEqual([500, 'output_invalid']);
  });
});
