import { readFileSync, symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { infoOf, textOf } from '../../../../test/support/pdf.ts';
import { PdfBed } from './testing/bed.ts';
import { jpeg, png, pngOf } from './testing/pictures.ts';

let bed: PdfBed;
beforeEach(() => {
  bed = new PdfBed({
    'out.png': png(2, 2),
    't/in.png': png(20, 10),
    't/half.png': png(20, 10, [0, 0, 255, 128]),
    't/a.jpg': jpeg,
  });
});
afterEach(() => bed.close());

async function made(html: string, written: Readonly<Record<string, unknown>> = {}): Promise<Buffer> {
  bed.write('t/template.html', html);
  return bed.document({}, { template: 't/template.html', ...written });
}

const pictures = (bytes: Buffer) => bytes.toString('latin1').match(/\/Subtype \/Image/g)?.length ?? 0;

describe('pictures', () => {
  test('PNG, also with transparency, and JPEG, of the folder and in the document', async () => {
    const data = `data:image/png;base64,${png(3, 3).toString('base64')}`;
    expect(pictures(await made('<img src="in.png"><img src="./in.png" width="50%">'))).toBeGreaterThan(0);
    expect(pictures(await made(`<img src="half.png"><img src="a.jpg"><img src="${data}">`))).toBeGreaterThan(2);
  });

  test('of a template in a folder they are beside it, or anywhere below the first one', async () => {
    bed.write('t/de/letter.html', '<img src="../in.png"><img src="/in.png">');
    const row = await bed.row({ template: 'de/letter.html' }, { template: 't/template.html' });
    expect(pictures(Buffer.from(row['_binary'] as string, 'base64'))).toBeGreaterThan(0);
  });

  test.each([
    '../out.png',
    '..%2fout.png',
    '..\\out.png',
    'link.png',
    'file:///etc/passwd',
    'http://127.0.0.1:1/a.png',
    '//127.0.0.1/a.png',
    '/etc/passwd',
    'none.png',
    '',
    'template.html',
    'data:text/plain;base64,AAAA',
    'data:image/svg+xml,<svg/>',
  ])('S-81: what is elsewhere, or no picture, is refused: %s', async (source) => {
    symlinkSync(join(bed.folder, 'out.png'), join(bed.folder, 't/link.png'));
    await expect(made(`<img src="${source}">`)).rejects.toMatchObject({
      code: expect.toBeOneOf(['connector_failed', 'value_refused', 'not_found']),
      retriable: false,
    });
  });

  test('S-54, S-81: no address is asked', async () => {
    let asked = 0;
    const server = createServer((_, response) => {
      asked++;
      response.end(png(1, 1));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await expect(made(`<img src="http://127.0.0.1:${port}/a.png">`)).rejects.toMatchObject({
      code: 'connector_failed',
    });
    await made(
      `<link rel="stylesheet" href="http://127.0.0.1:${port}/a.css"><style>@import url(http://127.0.0.1:${port}/b.css); p { background: url(http://127.0.0.1:${port}/c.png) }</style><p>x</p>`,
    );
    server.close();
    expect(asked).toBe(0);
  });

  test.each([
    ['of more pixels than it may have', pngOf(100_000, 100_000, Buffer.alloc(100))],
    ['whose pixels are more than it says', pngOf(10, 10, Buffer.alloc(50_000_000))],
    ['that ends in the middle', png(20, 10).subarray(0, 40)],
    ['a JPEG that ends in the middle', jpeg.subarray(0, 20)],
  ])('A-06: one %s is refused', async (_, bytes) => {
    bed.write('t/hostile.png', bytes);
    await expect(made('<img src="hostile.png">')).rejects.toMatchObject({
      code: 'connector_failed',
      message: expect.stringContaining('the picture "hostile.png" cannot be used'),
    });
  });
});

describe('fonts', () => {
  const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf';

  test('of the folder print what built-in ones lack, declared in the document or as the font of all text', async () => {
    bed.write('t/fonts/d.ttf', readFileSync(font));
    const face = '<style>@font-face { font-family: "Own"; src: url("fonts/d.ttf") }</style>';
    const text = 'Łódź Привет Ελλάδα';
    for (const [html, written] of [
      [`${face}<p style="font-family: Own">${text}</p>`, {}],
      [`${face}<p>${text}</p>`, { font: 'Own' }],
      [`<p>${text}</p>`, { font: 'fonts/d.ttf' }],
      [`${face}<p>${text}</p>`, {}],
    ] as const) {
      const bytes = await made(html, written);
      expect(textOf(bytes).trim()).toBe(text);
      expect(infoOf(bytes)).toMatch(/DejaVuSans\s+CID TrueType\s+Identity-H\s+yes yes yes/);
    }
    expect(bed.lines).toEqual([]);
  });

  test.each(['../out.png', 'http://127.0.0.1/a.ttf', 'none.ttf', 'in.png'])(
    'another file is refused: %s',
    async (path) => {
      await expect(made(`<style>@font-face { font-family: X; src: url("${path}") }</style>x`)).rejects.toMatchObject({
        retriable: false,
      });
      await expect(made('x', { font: path })).rejects.toMatchObject({ retriable: false });
    },
  );
});
