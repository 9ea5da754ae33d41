import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory } from '../service/config/language-folder.ts';
import { inDirectory, typed } from './testing/typed.ts';

const service = 'service {\n  name        = "café"\n  admin_port  = 0\n}\n';
const latin1 = Buffer.from(service, 'latin1');
const utf16 = Buffer.from(`\ufeff${service}`, 'utf16le');
const problem = (path: string) =>
  [
    'error[syntax-encoding]: The byte E9 is not UTF-8',
    `  --> ${path}:2:21`,
    '   |',
    ' 2 |   name        = "caf\ufffd"',
    '   |                     ^',
    '   = help: Save the file as UTF-8.',
    '',
  ].join('\n');

test('svc fmt leaves a file alone that is not UTF-8, and says where', async () => {
  await inDirectory({ 'a.hcl': latin1, 'b.hcl': utf16 }, async (directory) => {
    const { status, out, error } = await typed(['fmt'], directory);
    expect({ status, out, error }).toEqual({
      status: 1,
      out: '',
      error: expect.stringContaining(problem('a.hcl')),
    });
    expect(error).toContain(
      'error[syntax-encoding]: The file is written in UTF-16, and must be in UTF-8\n  --> b.hcl:1:1',
    );
    expect(readFileSync(join(directory, 'a.hcl'))).toEqual(latin1);
    expect(readFileSync(join(directory, 'b.hcl'))).toEqual(utf16);
    expect((await typed(['fmt', '--check'], directory)).status).toBe(1);
  });
});

test.each([['validate'], ['start'], ['check'], ['test']])(
  'svc %s refuses a file that is not UTF-8',
  async (command) => {
    const tests = { 'tests/a.hcl': 'test "a" {\n  flow = "a"\n  input = {}\n}\n' };
    await inDirectory({ 'a.hcl': latin1, ...(command === 'test' ? tests : {}) }, async (directory) => {
      const { status, out, error } = await typed([command], directory);
      expect({ status, shown: `${out}${error}` }).toEqual({
        status: 1,
        shown: expect.stringContaining('error[syntax-encoding]: The byte E9 is not UTF-8\n  --> a.hcl:2:21'),
      });
    });
  },
);

test('it is the only problem that is reported of the syntax of the file', async () => {
  await inDirectory({ 'a.hcl': Buffer.from('service {\n  \xe9 = \n', 'latin1') }, async (directory) => {
    const { out } = await typed(['validate', '--format', 'json'], directory);
    const { problems } = JSON.parse(out) as { problems: { code: string; range: object }[] };
    expect(problems.map(({ code, range }) => ({ code, range }))).toEqual([
      {
        code: 'syntax-encoding',
        range: { start: { line: 2, column: 3, offset: 12 }, end: { line: 2, column: 4, offset: 13 } },
      },
    ]);
  });
});

test('a byte order mark is kept, and means nothing', async () => {
  await inDirectory({ 'a.hcl': `\ufeff${service}` }, async (directory) => {
    expect(await typed(['fmt'], directory)).toEqual({ status: 0, out: 'a.hcl\n', error: '' });
    expect(readFileSync(join(directory, 'a.hcl'), 'utf8')).toBe(
      '\ufeffservice {\n  name       = "café"\n  admin_port = 0\n}\n',
    );
    expect(await typed(['fmt'], directory)).toEqual({ status: 0, out: '', error: '' });
    expect((await typed(['validate'], directory)).status).toBe(0);
  });
});

test('an editor is shown the problem while the file is as it is stored, and nothing of it is formatted', async () => {
  await inDirectory({ 'a.hcl': latin1 }, async (directory) => {
    const { service: language, read } = await openDirectory(directory, {});
    const codes = () => language.diagnostics().map(({ code, range }) => [code, range.start]);
    const wrong = [['syntax-encoding', 30]];
    expect(codes()).toEqual(wrong);
    language.open('a.hcl', language.text('a.hcl') as string);
    expect({ codes: codes(), edits: language.formatting('a.hcl') }).toEqual({ codes: wrong, edits: [] });
    language.change('a.hcl', service);
    expect(codes()).toEqual([]);
    language.close('a.hcl');
    expect(codes()).toEqual(wrong);
    expect(await read('a.hcl')).toEqual({
      text: service.replace('é', '\ufffd'),
      unreadable: {
        at: 30,
        message: 'The byte E9 is not UTF-8',
        code: 'syntax-encoding',
        help: 'Save the file as UTF-8.',
      },
    });
  });
});

test('.env that is not UTF-8 gives no variable, and a file of a value is refused', async () => {
  const files = {
    'a.hcl': 'service {\n  name = file("name.txt")\n}\n',
    'name.txt': Buffer.from('caf\xe9', 'latin1'),
    '.env': Buffer.from('A=1\nB=caf\xe9\n', 'latin1'),
  };
  await inDirectory(files, async (directory) => {
    const { status, out } = await typed(['validate'], directory);
    expect(status).toBe(1);
    expect(out).toContain('warning[dotenv-line]: line 2: The byte E9 is not UTF-8; no variable of the file is read');
    expect(out).toContain('it is not UTF-8 text');
  });
});
