import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { textOf } from '../../../../test/support/pdf.ts';
import { pdf } from './spec.ts';
import { described, PdfBed } from './testing/bed.ts';

let bed: PdfBed;

beforeEach(() => {
  bed = new PdfBed({
    'templates/invoice.html': '<h1>Invoice {{.number}}</h1><p>{{.customer}}</p>',
    'templates/de/letter.html': '<p>Brief an {{.customer}}</p>',
    'secret.html': 'secret',
  });
});

afterEach(() => bed.close());

const template = { template: './templates/invoice.html' };

describe('generate', () => {
  test.each([[undefined], ['generate'], ['INSERT'], ['select'], ['Generate']])(
    'answers the document with its type, name and size: %s',
    async (operation) => {
      const row = await bed.row({ number: 7, customer: 'Ada' }, template, { operation });
      const bytes = Buffer.from(row['_binary'] as string, 'base64');
      const { _binary, ...label } = row;
      expect(label).toEqual({ _content_type: 'application/pdf', _filename: 'document.pdf', size: bytes.length });
      expect(textOf(bytes)).toMatch(/Invoice 7\s+Ada/);
    },
  );

  test('takes its data from wherever a call has them, the payload over the filters', async () => {
    const filters = { number: 1, customer: 'Ada' };
    const row = await bed.row({ number: 2 }, template, { verb: 'read' }, { filters });
    expect(textOf(Buffer.from(row['_binary'] as string, 'base64'))).toMatch(/Invoice 2\s+Ada/);
    const called = await bed.row({}, template, { exact: true }, { params: { number: 3 } });
    expect(called['size']).toBeTypeOf('bigint');
  });

  test('the fields template and filename are not data, and say what they are', async () => {
    const row = await bed.row({ template: 'de/letter.html', filename: 'a/brief.pdf', customer: 'Ada' }, template);
    expect(row['_filename']).toBe('brief.pdf');
    expect(textOf(Buffer.from(row['_binary'] as string, 'base64'))).toContain('Brief an Ada');
  });

  test('the target names a template too, the payload before it', async () => {
    const row = await bed.row({ customer: 'Ada' }, template, { target: 'de/letter.html' });
    expect(textOf(Buffer.from(row['_binary'] as string, 'base64'))).toContain('Brief an Ada');
  });
});

describe('save', () => {
  test('keeps the document, makes the folders, answers where it is; the file is replaced at once (S-82)', async () => {
    const written = { ...template, output_dir: './kept' };
    const path = join(bed.folder, 'kept/2026/7.pdf');
    for (const customer of ['Ada', 'Bob']) {
      const row = await bed.row({ customer, filename: '2026/7.pdf' }, written, { operation: 'SAVE' });
      expect(row).toEqual({ file_path: '2026/7.pdf', filename: '2026/7.pdf', size: statSync(path).size });
      expect(textOf(readFileSync(path))).toContain(customer);
    }
    expect(readdirSync(join(bed.folder, 'kept/2026'))).toEqual(['7.pdf']);
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  test('without output_dir it is the folder of the configuration', async () => {
    await bed.row({}, template, { operation: 'save' });
    expect(existsSync(join(bed.folder, 'document.pdf'))).toBe(true);
  });

  test.each([
    '../../etc/passwd',
    'a/../../b.pdf',
    '..\\b.pdf',
    '%2e%2e%2fb.pdf',
    '%252e%252e%252fb.pdf',
    'a\0b.pdf',
    '．．/b.pdf',
    '/',
    '.',
  ])('S-81: a name that leads out of output_dir is refused: %j', async (filename) => {
    const written = { ...template, output_dir: './kept' };
    await expect(bed.row({ filename }, written, { operation: 'save' })).rejects.toMatchObject({
      code: 'value_refused',
    });
    expect(readdirSync(bed.folder).sort()).toEqual(expect.not.arrayContaining(['b.pdf']));
  });

  test('S-81: an absolute name is one below output_dir, and no link leads out of it', async () => {
    const outside = folderWith();
    const written = { ...template, output_dir: './kept' };
    const row = await bed.row({ filename: '/a.pdf' }, written, { operation: 'save' });
    expect(row['file_path']).toBe('a.pdf');
    symlinkSync(outside, join(bed.folder, 'kept/out'));
    await expect(bed.row({ filename: 'out/a.pdf' }, written, { operation: 'save' })).rejects.toMatchObject({
      code: 'value_refused',
    });
    expect(readdirSync(outside)).toEqual([]);
  });

  test('R-79: a folder that cannot be used is reported at start', async () => {
    const connector = bed.connector({ ...template, output_dir: './secret.html' });
    connector.target.prepare({ ...described, operation: 'save' });
    await expect(connector.open(new AbortController().signal)).rejects.toMatchObject({
      code: 'connector_refused',
      message: expect.stringContaining('output_dir'),
    });
  });
});

describe('templates', () => {
  test('a missing one is reported at start, degrades health, fails the request, and is used when it is there', async () => {
    const written = { template: './late.html' };
    const connector = bed.connector(written);
    await connector.open(new AbortController().signal);
    expect(bed.lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'the template "late.html" does not exist'],
    ]);
    expect(await connector.check?.(new AbortController().signal)).toBe('the template "late.html" does not exist');
    const execute = connector.target.prepare(described);
    await expect(execute({})).rejects.toMatchObject({ code: 'connector_failed', retriable: false });
    bed.write('late.html', 'late {{.a}}');
    expect(await connector.check?.(new AbortController().signal)).toBe(undefined);
    await expect(execute({ payload: { a: 1 } })).resolves.toMatchObject({ rows: [{ size: expect.any(Number) }] });
  });

  test('one that has changed is read again', async () => {
    expect(textOf(await bed.document({ number: 1 }, template))).toContain('Invoice 1');
    const connector = bed.connector(template);
    await connector.open(new AbortController().signal);
    const execute = connector.target.prepare(described);
    const printed = async () =>
      textOf(Buffer.from((await execute({})).rows?.[0]?.['_binary'] as string, 'base64')).trim();
    bed.write('templates/invoice.html', 'first');
    expect(await printed()).toBe('first');
    bed.write('templates/invoice.html', 'again');
    utimesSync(join(bed.folder, 'templates/invoice.html'), 1, 2);
    expect(await printed()).toBe('again');
  });

  test('a malformed one is reported with its line', async () => {
    bed.write('templates/invoice.html', '\n{{if .a}}');
    const connector = bed.connector(template);
    await connector.open(new AbortController().signal);
    const message = 'the template "invoice.html" is malformed, line 2: the block that begins here has no {{end}}';
    expect(bed.lines.map((line) => line.message)).toEqual([message]);
    await expect(connector.target.prepare(described)({})).rejects.toMatchObject({ message });
  });

  test.each(['../secret.html', '/../secret.html', '..%2fsecret.html', '..\\secret.html', 'de/../../secret.html'])(
    'S-54: a message names none outside of the folder: %s',
    async (name) => {
      await expect(bed.row({ template: name }, template)).rejects.toMatchObject({ code: 'value_refused' });
    },
  );

  test('S-54: no link leads out of the folder, and nothing but a text is a name', async () => {
    symlinkSync(join(bed.folder, 'secret.html'), join(bed.folder, 'templates/link.html'));
    await expect(bed.row({ template: 'link.html' }, template)).rejects.toMatchObject({ code: 'value_refused' });
    await expect(bed.row({ template: ['de/letter.html'] }, template)).rejects.toMatchObject({ code: 'value_refused' });
    await expect(bed.row({ filename: { a: 1 } }, template)).rejects.toMatchObject({ code: 'value_refused' });
    await expect(bed.row({ template: 'none.html' }, template)).rejects.toMatchObject({
      code: 'value_refused',
      message: 'the template "none.html" does not exist',
    });
  });

  test('escape: values are text; without it, and with raw, they may be markup', async () => {
    bed.write('template.html', '<p>{{.a}}</p>');
    const hostile = { a: '<b>bold</b> & <img src="/etc/passwd">' };
    expect(textOf(await bed.document(hostile)).trim()).toBe('<b>bold</b> & <img src="/etc/passwd">');
    expect(textOf(await bed.document({ a: '<b>bold</b>' }, { escape: false })).trim()).toBe('bold');
    bed.write('template.html', '<p>{{raw .a}}</p>');
    expect(textOf(await bed.document({ a: '<b>bold</b>' })).trim()).toBe('bold');
  });
});

describe('what is refused before a service starts', () => {
  const call = {
    verb: 'create',
    operation: undefined,
    target: undefined,
    query: undefined,
    written: {},
    words: {},
  } as const;

  test('other operations, queries, enrichments', () => {
    const { checkOperation, checkCall } = pdf.target ?? {};
    expect(checkOperation?.('print')).toBe('"print" is neither generate nor save');
    expect(checkOperation?.('save')).toBe(undefined);
    expect(checkCall?.({ ...call, place: 'to', query: 'SELECT 1' }, {})).toMatchObject({ word: 'query' });
    expect(checkCall?.({ ...call, place: 'enrich' }, {})).toContain('write a step');
    expect(checkCall?.({ ...call, place: 'step' }, {})).toBe(undefined);
  });
});
