import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pagesOf, textOf } from '../../../../test/support/pdf.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { described, PdfBed } from './testing/bed.ts';

let bed: PdfBed;
beforeEach(() => {
  bed = new PdfBed({
    'template.html':
      '<table><tr><th>a</th><th>b</th></tr>{{range .n}}<tr><td>{{.}}</td><td>text</td></tr>{{end}}</table>',
    'small.html': '<p>{{.a}}</p>',
  });
});
afterEach(() => bed.close());

const never = new AbortController().signal;

async function open(written: Readonly<Record<string, unknown>> = {}) {
  const connector = bed.connector(written);
  await connector.open(never);
  return { connector, execute: connector.target.prepare(described) };
}

describe('max_pages and timeout', () => {
  test('a document of more pages is refused, and others are made', async () => {
    await expect(bed.document({ n: 1000 }, { max_pages: 5 })).rejects.toMatchObject({
      code: 'body_too_large',
      message: 'the document has more than 5 pages (max_pages)',
    });
    expect(pagesOf(await bed.document({ n: 100 }, { max_pages: 5 }))).toBe(3);
  });

  test('a document that takes longer is given up, and its thread is free again', async () => {
    const { execute } = await open({ timeout: 50, max_pages: 20_000 });
    const late = await Promise.resolve(execute({ payload: { n: 100_000 } })).catch((error: unknown) => error);
    expect(late).toMatchObject({ code: 'connector_timeout' });
    expect(textOf(await bed.document({ a: 'after', template: 'small.html' }))).toContain('after');
  });

  test('a template that loops without end is given up', async () => {
    bed.write('small.html', '{{range 1000000000000}}{{end}}');
    await expect(bed.document({ template: 'small.html' }, { timeout: 50 })).rejects.toMatchObject({
      code: 'connector_timeout',
    });
  });
});

describe('a call', () => {
  test('A-03: many that are given up leave the threads to others', async () => {
    const { execute } = await open({ max_pages: 20_000, timeout: 600_000 });
    const stop = new AbortController();
    const outcomes = Array.from({ length: 12 }, () =>
      Promise.resolve(execute({ payload: { n: 100_000 }, signal: stop.signal })).catch((error: unknown) => error),
    );
    const small = execute({ payload: { a: 'small', template: 'small.html' } });
    stop.abort();
    for (const outcome of await Promise.all(outcomes)) expect(outcome).toMatchObject({ code: 'cancelled' });
    const { rows } = await small;
    expect(textOf(Buffer.from(rows?.[0]?.['_binary'] as string, 'base64'))).toContain('small');
  });

  test('a close whose time is over ends it with a failure that may be tried again', async () => {
    const { connector, execute } = await open({ max_pages: 20_000, timeout: 600_000 });
    const outcome = Promise.resolve(execute({ payload: { n: 100_000 } })).catch((error: unknown) => error);
    await connector.close(AbortSignal.abort());
    const failure = (await outcome) as Failure;
    expect([failure.code, failure.retriable]).toEqual(['connector_refused', true]);
  });

  test('A-01: callers at once get their own documents', async () => {
    const { execute } = await open();
    const names = Array.from({ length: 20 }, (_, at) => `caller ${at} x${'x'.repeat(at)}`);
    const answers = await Promise.all(names.map((a) => execute({ payload: { a, template: 'small.html' } })));
    const texts = answers.map(({ rows }) => textOf(Buffer.from(rows?.[0]?.['_binary'] as string, 'base64')).trim());
    expect(texts).toEqual(names);
  });
});

describe('A-06: what is large costs in proportion', () => {
  test('rows of a table, by their number; the event loop continues', async () => {
    const { execute } = await open({ max_pages: 20_000 });
    const bytes: number[] = [];
    let longest = 0;
    let last = performance.now();
    const watch = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    for (const n of [500, 1000, 2000]) {
      const { rows } = await execute({ payload: { n } });
      bytes.push(Number(rows?.[0]?.['size']));
    }
    clearInterval(watch);
    const [first, second, third] = bytes as [number, number, number];
    expect((third - second) / (second - first)).toBeLessThan(2.5);
    // Laying out takes far longer than that: it is done elsewhere.
    expect(longest).toBeLessThan(1000);
  });

  test.each([
    ['elements inside each other', `${'<div>'.repeat(100_000)}x`],
    ['tables inside each other', '<table><tr><td>'.repeat(50_000)],
    ['lists inside each other', '<ul><li>'.repeat(50_000)],
    ['spans inside each other', '<b>'.repeat(100_000)],
  ])('%s are bounded', async (_, html) => {
    await expect(bed.document({ a: html, template: 'small.html' }, { escape: false })).rejects.toMatchObject({
      code: 'body_too_large',
      message: 'the document has more than 120 elements inside each other',
    });
  });

  test.each([
    ['one word', 'x'.repeat(200_000)],
    ['blanks', ' '.repeat(200_000)],
    ['entities', '&amp;'.repeat(50_000)],
    ['tags without end', '<'.repeat(200_000)],
    ['attributes', `<p ${'a=b '.repeat(50_000)}>x</p>`],
    ['styles', `<p style="${'color:red;'.repeat(20_000)}">x</p>`],
    ['brackets in a style', `<p style="${'url(('.repeat(20_000)};">x</p>`],
    ['cells in a row', `<table><tr>${'<td>x</td>'.repeat(20_000)}</tr></table>`],
    ['columns of one cell', `<table><tr><td colspan="1000000000">x</td></tr></table>`],
    ['rules', `<style>${'p b i, .x .y { color: red } '.repeat(5000)}</style><p><b><i>x</i></b></p>`],
    ['comments', '<!--'.repeat(50_000)],
    ['breaks', '<br>'.repeat(5000)],
    [
      'numbers',
      `<table><tr><td width="1e99" style="width:99999999999%;padding:9999999mm;font-size:99999px">x</td></tr></table>`,
    ],
  ])('%s: a document is made, or refused, in a bounded time', async (_, html) => {
    const outcome = await bed.document({ a: html, template: 'small.html' }, { escape: false, timeout: 20_000 }).then(
      (bytes) => bytes.subarray(0, 5).toString(),
      (error: Failure) => error.code,
    );
    expect(['%PDF-', 'body_too_large']).toContain(outcome);
  });
});
