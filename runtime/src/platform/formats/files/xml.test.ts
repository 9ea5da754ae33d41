import { describe, expect, test } from 'vitest';
import { answerBudget } from '../budget.ts';
import type { ReadingStyle } from './file-format.ts';
import { xml } from './xml.ts';

async function* source(...pieces: (string | Uint8Array)[]) {
  for (const piece of pieces) yield Buffer.from(piece);
}
const rowsOf = async (document: string, style: ReadingStyle = {}) => {
  const rows: unknown[] = [];
  for await (const row of xml.rows(source(...document.split(/(?=[^\x00-\x7f])/)), style)) rows.push(row);
  return rows;
};
/** A document that is too large to be held as one row. */
const large = (more = '', count = 30_000) => `<o v="1">${'<r><a>1</a></r>\n'.repeat(count)}${more}</o>`;

describe('what the rows of a document are', () => {
  test.each<[string, unknown[]]>([
    ['<o><r><a>1</a></r><r><a>é</a></r></o>', [{ a: '1' }, { a: 'é' }]],
    ['<o><r>1</r><r>2</r></o>', [{ value: '1' }, { value: '2' }]],
    ['<o><r><a>1</a></r></o>', [{ r: { a: '1' } }]],
    ['<o><r/><s/></o>', [{ r: '', s: '' }]],
    ['<o><r/><s/><r/></o>', [{ r: ['', ''], s: '' }]],
    ['<o>text<r/><r/></o>', [{ '#text': 'text', r: ['', ''] }]],
    ['<o>text</o>', [{ value: 'text' }]],
    ['<o/>', [{}]],
    [
      '<o version="2" xmlns:xsi="x" xsi:schemaLocation="y"><r id="1"/><r version="3"/></o>',
      [{ '@version': '2', '@id': '1' }, { '@version': '3' }],
    ],
    ['<o id="1"><r/></o>', [{ '@id': '1', r: '' }]],
  ])('%s', async (document, rows) => {
    expect(await rowsOf(document)).toEqual(rows);
    expect(await rowsOf(document, { budget: answerBudget })).toEqual(rows);
  });

  test('a document that is malformed is refused, however it comes', async () => {
    await expect(rowsOf('<o><r/>')).rejects.toMatchObject({ code: 'body_undecodable' });
    await expect(rowsOf('<!DOCTYPE o><o/>')).rejects.toMatchObject({ code: 'body_undecodable' });
    await expect(rowsOf('')).rejects.toMatchObject({ code: 'body_undecodable' });
  });
});

describe('large documents', () => {
  test('rows come while more is to come, and nothing of them is kept', async () => {
    const more = Promise.withResolvers<void>();
    async function* slow() {
      yield Buffer.from(large().slice(0, -4));
      await more.promise;
      yield Buffer.from('<r><a>last</a></r></o>');
    }
    const rows = xml.rows(slow(), {});
    for (let count = 0; count < 30_000; count++) expect((await rows.next()).value).toEqual({ '@v': '1', a: '1' });
    more.resolve();
    expect((await rows.next()).value).toEqual({ '@v': '1', a: 'last' });
    expect((await rows.next()).done).toBe(true);
  });

  test('memory does not grow with the document', async () => {
    const row = '<r><a>0123456789</a><b>0123456789</b></r>';
    const piece = Buffer.from(row.repeat(1_500));
    async function* endless() {
      yield Buffer.from('<o>');
      for (let count = 0; count < 200; count++) yield piece;
      yield Buffer.from('</o>');
    }
    let count = 0;
    let most = 0;
    for await (const _ of xml.rows(endless(), {}))
      if (++count % 50_000 === 0) most = Math.max(most, process.memoryUsage().heapUsed);
    expect(count).toBe(300_000);
    expect(most).toBeLessThan(200 * 1024 * 1024);
  });

  test.each([
    ['<s/>', 'the element <s>'],
    ['text', 'a text'],
  ])('rows that are followed by %s are an error, and not lost', async (more, what) => {
    await expect(rowsOf(large(more))).rejects.toMatchObject({
      code: 'body_undecodable',
      message: `the file is too large to be one row, and its rows <r> are followed by ${what}`,
    });
  });

  test('S-57: what is one text, one tag or one row without an end is bounded', async () => {
    const filler = Buffer.alloc(256 * 1024, 'x');
    const endless = (beginning: string, ending = '') =>
      (async function* () {
        yield Buffer.from(beginning);
        for (let count = 0; count < 80; count++) {
          yield filler;
          yield Buffer.from(ending);
        }
      })();
    const values = '<b/>'.repeat(50_000);
    for (const [beginning, ending] of [
      ['<o>'],
      ['<o '],
      ['<o><!--'],
      ['<o><![CDATA['],
      ['<!DOCTYPE '],
      ['<o><r/><r>', values],
    ])
      await expect(async () => {
        for await (const _ of xml.rows(endless(beginning as string, ending), {}));
      }).rejects.toMatchObject({ code: 'body_too_large' });
  });

  test('all rows together keep a budget', async () => {
    await expect(rowsOf(large(), { budget: { ...answerBudget, values: 20_000 } })).rejects.toMatchObject({
      code: 'body_too_large',
    });
  });
});
