import { describe, expect, test } from 'vitest';
import { decodeExcel } from '../../formats/excel/decode.ts';
import { bookOf, packageOf, textRow } from '../../formats/excel/testing/package.ts';
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
});
