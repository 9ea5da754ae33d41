import { symlinkSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { infoOf, pagesOf, textOf, wordsOf } from '../../../../../test/support/pdf.ts';
import { described, type PdfBed } from '../testing/bed.ts';
import { png } from '../testing/pictures.ts';
import { chromiumBed, expectNothingLeft } from './testing/bed.ts';

let bed: PdfBed;

beforeEach(() => {
  bed = chromiumBed({ 'template.html': '<!doctype html><body style="margin: 0"><p>Dear {{.name}}</p>' });
});

afterEach(() => bed.close());

describe('a document', () => {
  test('has the values as text, in every script that the machine has a font for', async () => {
    const text = textOf(await bed.document({ name: 'Łukasz <b>&</b> Ω' }));
    expect(text).toMatch(/Dear Łukasz <b>&<\/b> Ω/);
    expect(textOf(await bed.document({ name: '<b>Ada</b>' }, { escape: false }))).toMatch(/Dear Ada/);
  });

  test('has the size, the orientation and the margins of the connector, which those of the template win over', async () => {
    const bytes = await bed.document(
      { name: 'Ada' },
      { page_size: 'A5', orientation: 'landscape', margin_left: 40, margin_top: 30 },
    );
    expect(infoOf(bytes)).toMatch(/Page size: +59[45][.\d]* x 4(?:19|20)[.\d]* pts/);
    const [first] = wordsOf(bytes);
    expect([first?.text, Math.round((first?.x ?? 0) / (72 / 25.4))]).toEqual(['Dear', 40]);
    bed.write(
      'template.html',
      '<style>@page { size: Letter landscape; margin: 0 }</style><p>a</p><p style="break-before: page">b</p>',
    );
    const own = await bed.document();
    expect([pagesOf(own), /Page size: +792 x 612 pts/.test(infoOf(own))]).toEqual([2, true]);
  });

  test('margin_right and margin_top are millimetres, and 0 is 15', async () => {
    bed.write('template.html', '<p style="text-align: right; margin: 0">end</p>');
    const at = async (written: Readonly<Record<string, unknown>>) => wordsOf(await bed.document({}, written))[0];
    const [usual, wide] = [
      await at({ margin_right: 0, margin_top: 0 }),
      await at({ margin_right: 55, margin_top: 45 }),
    ];
    const millimetres = (points = 0) => Math.round(points / (72 / 25.4));
    expect([millimetres((usual?.x ?? 0) - (wide?.x ?? 0)), millimetres((wide?.y ?? 0) - (usual?.y ?? 0))]).toEqual([
      40, 30,
    ]);
  });

  test('has pictures and style sheets of the folder of its template', async () => {
    bed.write('in/look.css', '@page { size: A5 } p { font-weight: bold }');
    bed.write('in/dot.png', png(4, 4));
    bed.write(
      'template.html',
      '<link rel="stylesheet" href="in/look.css"><img src="/in/dot.png"><img src="in/dot.png"><p>a</p>',
    );
    const bytes = await bed.document();
    expect(infoOf(bytes)).toMatch(/Title: +template\.html\n[\s\S]*Page size: +(?:419|420)\S* x 59[45]/);
    expect(bytes.toString('latin1')).toMatch(/\/Width 4\b/);
  });

  test('is kept in output_dir', async () => {
    const row = await bed.row({ name: 'Ada', filename: 'a/b.pdf' }, { output_dir: 'kept' }, { operation: 'save' });
    expect(row).toEqual({ file_path: 'a/b.pdf', filename: 'a/b.pdf', size: row['size'] });
  });

  test('is made by a browser of its own, and nothing of that is left', async () => {
    const connector = bed.connector({ max_processes: 1 });
    await connector.open(new AbortController().signal);
    const execute = connector.target.prepare(described);
    const rows = await Promise.all(
      ['Ada', 'Bob'].map(async (name) => (await execute({ payload: { name } })).rows?.[0]),
    );
    const texts = rows.map((row) => textOf(Buffer.from(row?.['_binary'] as string, 'base64')).trim());
    expect(texts).toEqual(['Dear Ada', 'Dear Bob']);
    await expectNothingLeft();
  });
});

describe('S-54, S-81: what a document reaches', () => {
  test('neither a network nor scripts, other pages or files of another folder', async () => {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      response.end('x');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const there = `http://127.0.0.1:${port}`;
    bed.write('../svc-outside.png', png(4, 4));
    symlinkSync('/etc', join(bed.folder, 'etc'));
    bed.write(
      'template.html',
      `<link rel="stylesheet" href="${there}/a.css"><link rel="dns-prefetch" href="${there}"><link rel="preconnect" href="${there}"><link rel="prefetch" href="${there}/b">
       <style>@import url(${there}/c.css); p { background: url(${there}/d.png) } @font-face { font-family: f; src: url(${there}/e.ttf) } p { font-family: f }</style>
       <script>document.write('scripted')</script><body onload="document.write('loaded')"><img src="x" onerror="document.write('failed')">
       <img src="${there}/f.png"><img src="//127.0.0.1:${port}/g.png"><iframe src="${there}/h"></iframe><object data="${there}/i"></object><embed src="${there}/j">
       <iframe src="file:///etc/passwd"></iframe><object data="file:///etc/passwd"></object><object data="etc/passwd"></object><iframe src="etc/passwd"></iframe>
       <img src="file:///etc/passwd"><img src="../svc-outside.png"><img src="%2e%2e/svc-outside.png"><img src="etc/hostname"><p>only this</p>`,
    );
    const bytes = await bed.document();
    server.close();
    expect([textOf(bytes).trim(), asked]).toEqual(['only this', []]);
    // A browser draws a picture of its own where one is missing.
    expect(bytes.toString('latin1')).not.toMatch(/\/Width 4\b/);
  });
});
