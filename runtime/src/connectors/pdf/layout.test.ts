import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { infoOf, pagesOf, textOf, wordsOf } from '../../../../test/support/pdf.ts';
import { PdfBed } from './testing/bed.ts';

let bed: PdfBed;
beforeEach(() => {
  bed = new PdfBed();
});
afterEach(() => bed.close());

async function made(html: string, written: Readonly<Record<string, unknown>> = {}): Promise<Buffer> {
  bed.write('template.html', html);
  return bed.document({}, written);
}

const millimetre = 72 / 25.4;

describe('pages', () => {
  test.each([
    [{}, '595.28 x 841.89 pts (A4)'],
    [{ page_size: 'A3' }, '841.89 x 1190.55 pts (A3)'],
    [{ page_size: 'A5' }, '419.53 x 595.28 pts'],
    [{ page_size: 'Letter' }, '612 x 792 pts (letter)'],
    [{ page_size: 'Legal', orientation: 'landscape' }, '1008 x 612 pts'],
  ])('page_size and orientation: %j', async (written, size) => {
    expect(infoOf(await made('x', written))).toContain(`Page size:       ${size}`);
  });

  test('margin_left, margin_top and margin_right are millimetres, 0 is 15', async () => {
    const text = '<p style="text-align:right">right</p>left';
    const place = async (written: object) => {
      const words = wordsOf(await made(`<div>top</div>${text}`, { ...written }));
      return words.map(({ x, y }) => [Math.round(x / millimetre), Math.round(y / millimetre)]);
    };
    const usual = await place({});
    expect(await place({ margin_left: 0, margin_top: 0, margin_right: 0 })).toEqual(usual);
    const [[left, top], [right, second], [, third]] = usual as [[number, number], [number, number], [number, number]];
    expect(left).toBe(15);
    expect(await place({ margin_left: 40 })).toEqual([
      [40, top],
      [right, second],
      [40, third],
    ]);
    expect(await place({ margin_top: 40 })).toEqual(usual.map(([x, y]) => [x, (y as number) + 25]));
    expect(await place({ margin_right: 40 })).toEqual([
      [left, top],
      [right - 25, second],
      [left, third],
    ]);
  });

  test('begin where the document says so', async () => {
    const html = 'a<div style="page-break-before: always">b</div><p style="break-after: page">c</p>d';
    expect(
      textOf(await made(html))
        .split('\f')
        .map((page) => page.trim().replaceAll(/\s+/g, ' ')),
    ).toEqual(['a', 'b c', 'd', '']);
  });

  test('have what is fixed, with their number and how many there are', async () => {
    const html = `<header style="position:fixed">head</header><footer style="position:fixed"><span class="pageNumber"></span>/<span class="totalPages"></span></footer>${'<p>text</p>'.repeat(100)}`;
    const pages = textOf(await made(html))
      .split('\f')
      .slice(0, -1);
    expect(pages.map((page) => [/head/.test(page), /\d+\/\d+/.exec(page)?.[0]])).toEqual([
      [true, '1/4'],
      [true, '2/4'],
      [true, '3/4'],
      [true, '4/4'],
    ]);
  });

  test('have a title, and a heading is never the last line of one', async () => {
    const html = `<title>A &amp; B</title>${'<div>line</div>'.repeat(45)}<h2>heading</h2><p>behind</p>`;
    const bytes = await made(html);
    expect(infoOf(bytes)).toContain('Title:           A & B');
    const pages = textOf(bytes).split('\f');
    expect([pagesOf(bytes), pages[0]?.includes('heading'), pages[1]?.includes('heading')]).toEqual([2, false, true]);
  });
});

describe('text', () => {
  test('font: a built-in family, and bold and italic of it', async () => {
    const html = 'a<b>b</b><i>c</i><b><i>d</i></b>';
    expect(infoOf(await made(html))).toMatch(/Helvetica\s.*Helvetica-Bold\s.*Helvetica-Oblique\s/s);
    expect(infoOf(await made(html, { font: 'times new roman' }))).toMatch(/Times-Roman\s.*Times-Bold\s/s);
    expect(infoOf(await made('<p style="font-family: Nothing, Courier">x</p>'))).toContain('Courier');
  });

  test('a heading wraps, a long word is divided, and nothing is wider than the page', async () => {
    const bytes = await made(`<h1>${'word '.repeat(30)}</h1>${'x'.repeat(500)}`);
    const words = wordsOf(bytes);
    expect(words.filter(({ text }) => text === 'word')).toHaveLength(30);
    expect(
      words
        .map(({ text }) => text)
        .join('')
        .match(/x/g),
    ).toHaveLength(500);
    expect(Math.max(...words.map(({ x }) => x))).toBeLessThan(595 - 15 * millimetre);
  });

  test('blanks collapse, entities and breaks are what HTML says, pre keeps everything', async () => {
    expect(textOf(await made('a \n  b&nbsp;&euro;&#228;<br>c<span>d</span> e')).trim()).toBe('a b €ä\ncd e');
    expect(
      textOf(await made('<pre>a  b\n    c</pre>'))
        .trimEnd()
        .replaceAll('\u00a0', ' '),
    ).toMatch(/a {2,}b\n\s+c/);
  });

  test('what no font has is printed as ?, and reported once', async () => {
    expect(textOf(await made('Łódź 日 e\u0301')).trim()).toBe('?ód? ? é');
    const reported = bed.lines.map(({ message }) => message);
    expect(reported).toEqual([
      'no font of the template "template.html" has the character U+0141: it is printed as ?',
      'no font of the template "template.html" has the character U+017A: it is printed as ?',
      'no font of the template "template.html" has the character U+65E5: it is printed as ?',
    ]);
  });

  test('elements that are not printed are reported', async () => {
    expect(textOf(await made('a<script>alert(1)</script><iframe>x</iframe>b')).trim()).toBe('ab');
    expect(bed.lines.map(({ message }) => message)).toEqual([
      'the template "template.html" has <script>, which is not printed',
      'the template "template.html" has <iframe>, which is not printed',
    ]);
  });

  test('styles: by element, class, id and those around it; the attribute wins', async () => {
    const sheet =
      '<style>/* } */ p { text-align: right } .c { text-align: center } div p.l, #l { text-align: left } @media print { p { color: red } }</style>';
    const bytes = await made(
      `${sheet}<p>right</p><p class="a c">centre</p><div><p class="l c">left</p></div><p id="l">left</p><p id="l" style="text-align:right">right</p>`,
    );
    const places = wordsOf(bytes).map(({ text, x }) => [text, x < 60 ? 'left' : x > 500 ? 'right' : 'centre']);
    expect(places).toEqual(['right', 'centre', 'left', 'left', 'right'].map((side) => [side, side]));
  });

  test('lists have bullets and numbers', async () => {
    const html = '<ul><li>a</li></ul><ol start="3"><li>b</li><li>c<ol><li>d</li></ol></li></ol>';
    expect(
      textOf(await made(html))
        .replaceAll(/[ \t]+/g, '')
        .trim()
        .split(/\s*\n\s*/),
    ).toEqual(['•a', '3.b', '4.c', '1.d']);
  });
});

describe('tables', () => {
  const row = (...cells: string[]) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;

  test('columns are equal, unless something is said', async () => {
    const places = async (table: string) => wordsOf(await made(table)).map(({ x }) => Math.round(x / millimetre) - 16);
    expect(await places(`<table>${row('a', 'b', 'c')}</table>`)).toEqual([0, 60, 120]);
    expect(
      await places('<table><tr><td style="width:20%">a</td><td>b</td><td width="50%">c</td></tr></table>'),
    ).toEqual([0, 36, 90]);
    expect(await places(`<table><col width="30mm"><col>${row('a', 'b')}</table>`)).toEqual([0, 30]);
    expect(
      (await places(`<table><tr><td colspan="2">a</td><td>b</td></tr>${row('c', 'd', 'e')}</table>`)).sort(
        (a, b) => a - b,
      ),
    ).toEqual([0, 0, 60, 120, 120]);
    const [, second] = await places(
      `<table style="table-layout:auto">${row('a', 'much_longer_than_the_other')}</table>`,
    );
    expect(second).toBeLessThan(30);
  });

  test('the head is on each page, rows are not divided, text wraps', async () => {
    const body = Array.from({ length: 60 }, (_, at) =>
      row(`no${at}`, 'a text that is long enough to wrap '.repeat(3)),
    ).join('');
    const bytes = await made(
      `<table><thead><tr><th>first</th><th>second</th></tr></thead><tbody>${body}</tbody><tfoot>${row('sum', '')}</tfoot></table>`,
    );
    const pages = textOf(bytes).split('\f').slice(0, -1);
    expect(pages.map((page) => page.match(/first\s+second/g)?.length)).toEqual(pages.map(() => 1));
    expect(pages.length).toBeGreaterThan(2);
    expect(textOf(bytes).match(/no\d+/g)).toEqual(Array.from({ length: 60 }, (_, at) => `no${at}`));
    expect(textOf(bytes).match(/enough/g)).toHaveLength(180);
    expect(pages.at(-1)).toContain('sum');
  });

  test('a row that is higher than a page is divided, with everything in it', async () => {
    const bytes = await made(
      `<table>${row(Array.from({ length: 200 }, (_, at) => `line${at}`).join('<br>'), 'beside')}</table>`,
    );
    expect(pagesOf(bytes)).toBe(4);
    expect(textOf(bytes).match(/line\d+/g)).toEqual(Array.from({ length: 200 }, (_, at) => `line${at}`));
  });

  test('tables are in tables, lists and pictures in cells', async () => {
    expect(
      textOf(await made(`<table>${row(`<table>${row('in', 'side')}</table>`, '<ul><li>item</li></ul>')}</table>`)),
    ).toMatch(/in\s+side\s+•\s+item/);
  });
});
