import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { create } from './connector.ts';
import { file } from './spec.ts';

const never = new AbortController().signal;
const described: CallDescription = {
  verb: 'call',
  operation: undefined,
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'step "s"',
};

let folder: string;
const opened: TargetConnector[] = [];
beforeEach(() => {
  folder = folderWith();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((connector) => connector.close()));
  rmSync(folder, { recursive: true });
});

const at = (path: string) => join(folder, path);
const textOf = (path: string) => readFileSync(at(path), 'utf8');

async function open(written: Readonly<Record<string, unknown>> = {}): Promise<TargetConnector> {
  const config = configured(file.config, { base_path: folder, ...written });
  const connector = create('files', config, connectorServices({ directory: folder })) as TargetConnector;
  opened.push(connector);
  await connector.open(never);
  return connector;
}

/** Asks a connector once for one operation. */
async function ask(
  connector: TargetConnector,
  operation: string,
  params: Readonly<Record<string, unknown>>,
  over: Partial<CallDescription> = {},
): Promise<CallResult> {
  return connector.target.prepare({ ...described, operation, ...over })({ params });
}

const rowsOf = async (connector: TargetConnector, path: string) => (await ask(connector, 'read', { path })).value;

async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error: unknown) => error as Failure,
  );
}

describe('base_path', () => {
  test('is the folder, relative to the configuration', async () => {
    const connector = await open({ base_path: 'data' });
    await ask(connector, 'write', { path: 'a.txt', content: 'x' });
    expect(textOf('data/a.txt')).toBe('x');
  });

  test('that exists below the working directory alone is refused, naming both places', async () => {
    const name = 'runtime';
    const failure = await failureOf(open({ base_path: name }));
    expect([failure.code, failure.retriable, failure.message]).toEqual([
      'connector_refused',
      false,
      expect.stringContaining(`does not exist at ${at(name)}`),
    ]);
    expect(failure.message).toContain(`but at ${join(process.cwd(), name)}`);
    expect(existsSync(at(name))).toBe(false);
  });

  test('that is a file, or below one, is refused', async () => {
    writeFileSync(at('file'), '');
    for (const [path, says] of [
      ['file', 'EEXIST'],
      ['file/in', 'ENOTDIR'],
    ])
      expect(await failureOf(open({ base_path: path }))).toMatchObject({
        code: 'connector_refused',
        retriable: false,
        message: expect.stringContaining(says as string),
      });
    expect((await failureOf(open({ base_path: 'file', create_dirs: false }))).message).toContain('is not a folder');
  });

  test('that is removed is unhealthy, and healthy when it is made again', async () => {
    const connector = await open({ base_path: 'data' });
    await connector.check?.(never);
    rmSync(at('data'), { recursive: true });
    const failure = await failureOf(Promise.resolve(connector.check?.(never)));
    expect([failure.code, failure.message]).toEqual([
      'connector_refused',
      'connector "files": the folder data cannot be read: ENOENT',
    ]);
    mkdirSync(at('data'));
    await connector.check?.(never);
    expect(await ask(connector, 'write', { path: 'a.txt', content: 'x' })).toMatchObject({ affected: 1 });
  });
});

test('create_dirs says whether folders are made', async () => {
  await ask(await open({ base_path: 'made' }), 'write', { path: 'in/a.txt', content: 'x' });
  expect(textOf('made/in/a.txt')).toBe('x');
  expect((await failureOf(open({ base_path: 'absent', create_dirs: false }))).message).toContain(
    'absent does not exist',
  );
  const connector = await open({ create_dirs: false });
  const failure = await failureOf(ask(connector, 'write', { path: 'in/a.txt', content: 'x' }));
  expect([failure.code, failure.message]).toEqual([
    'not_found',
    'the folder "in" does not exist, and create_dirs is false',
  ]);
  expect(await ask(connector, 'mkdir', { path: 'in' })).toMatchObject({ value: { path: 'in', created: true } });
  await ask(connector, 'write', { path: 'in/a.txt', content: 'x' });
});

test('S-82: permissions are those of files that are written, in octal digits, whatever the mask of the process is', async () => {
  const before = process.umask(0o077);
  try {
    const ordinary = await open();
    await ask(ordinary, 'write', { path: 'a', content: 'x' });
    await ask(ordinary, 'append', { path: 'b', content: 'x', format: 'text' });
    await ask(ordinary, 'copy', { source: 'a', destination: 'c' });
    const shared = await open({ permissions: '0666' });
    await ask(shared, 'write', { path: 'd', content: 'x' });
  } finally {
    process.umask(before);
  }
  const modes = ['a', 'b', 'c', 'd'].map((path) => (statSync(at(path)).mode & 0o777).toString(8));
  expect(modes).toEqual(process.platform === 'win32' ? expect.anything() : ['644', '644', '644', '666']);
});

describe('tables', () => {
  test('csv_delimiter is between the cells of CSV files', async () => {
    for (const [written, character] of [
      [undefined, ','],
      ['semicolon', ';'],
      ['pipe', '|'],
      ['tab', '\t'],
      ['\\t', '\t'],
      ['~', '~'],
    ]) {
      const connector = await open({ csv_delimiter: written });
      await ask(connector, 'write', { path: 'a.csv', content: [{ a: 1, b: 'x' }] });
      await ask(connector, 'write', { path: 'a.tsv', content: [{ a: 1, b: 'x' }] });
      expect(textOf('a.csv')).toBe(`a${character}b\r\n1${character}x\r\n`);
      expect(textOf('a.tsv')).toBe('a\tb\r\n1\tx\r\n');
      expect(await rowsOf(connector, 'a.csv')).toEqual([{ a: '1', b: 'x' }]);
    }
  });

  const text = '# made by hand\nfirst\n a ,b\n# not,this\n 1 ,2\n';

  test('csv_comment and csv_skip_rows say which lines are passed over, csv_trim_space that blanks go', async () => {
    writeFileSync(at('a.csv'), text);
    const over = { csv_skip_rows: 2, csv_comment: '#' };
    expect(await rowsOf(await open(over), 'a.csv')).toEqual([{ ' a ': ' 1 ', b: '2' }]);
    expect(await rowsOf(await open({ ...over, csv_trim_space: true }), 'a.csv')).toEqual([{ a: '1', b: '2' }]);
    expect(await rowsOf(await open({ csv_skip_rows: 2 }), 'a.csv')).toEqual([
      { ' a ': '# not', b: 'this' },
      { ' a ': ' 1 ', b: '2' },
    ]);
  });

  test('csv_no_header says that the first line is a row, in reading and writing', async () => {
    const connector = await open({ csv_no_header: true });
    await ask(connector, 'write', { path: 'a.csv', content: [{ a: 1, b: 2 }] });
    expect(textOf('a.csv')).toBe('1,2\r\n');
    expect(await rowsOf(connector, 'a.csv')).toEqual([{ column_1: '1', column_2: '2' }]);
    expect((await ask(connector, 'read', { path: 'a.csv', columns: ['x', 'y'] })).value).toEqual([{ x: '1', y: '2' }]);
  });

  test('parameters of a call win over what the connector says', async () => {
    writeFileSync(at('a.csv'), text.replaceAll(',', ';'));
    const params = { delimiter: ';', comment: '#', skip_rows: 2n, trim_space: true };
    const connector = await open({ csv_delimiter: '|', csv_comment: '%' });
    const read = async (further: object = {}) =>
      (await ask(connector, 'read', { path: 'a.csv', ...params, ...further })).value;
    expect(await read()).toEqual([{ a: '1', b: '2' }]);
    expect(await read({ no_header: true, columns: ['x', 'y'] })).toEqual([
      { x: 'a', y: 'b' },
      { x: '1', y: '2' },
    ]);
    await ask(connector, 'write', { path: 'b.csv', content: [{ a: 1, b: 2, c: 3 }], columns: ['c', 'a'] });
    expect(textOf('b.csv')).toBe('c|a\r\n3|1\r\n');
    for (const wrong of [{ delimiter: '' }, { skip_rows: -1 }, { no_header: 'yes' }, { columns: ['a', 'a'] }])
      expect((await failureOf(read(wrong))).code).toBe('parameters_invalid');
  });

  test('S-55: escape_formulas says whether texts that a spreadsheet would run are changed', async () => {
    const content = [{ a: '=1+1', b: -2 }];
    await ask(await open(), 'write', { path: 'a.csv', content });
    await ask(await open({ escape_formulas: false }), 'write', { path: 'b.csv', content });
    expect([textOf('a.csv'), textOf('b.csv')]).toEqual(["a,b\r\n'=1+1,-2\r\n", 'a,b\r\n=1+1,-2\r\n']);
  });
});

test('format is that of files of which neither the call nor the name says one', async () => {
  for (const [format, text] of [
    [undefined, '{\n  "a": 1\n}\n'],
    ['csv', 'a\r\n1\r\n'],
  ]) {
    const connector = await open({ format });
    await ask(connector, 'write', { path: 'a.data', content: { a: 1 } });
    expect(textOf('a.data')).toBe(text);
  }
});

test('max_read is the largest file whose rows are read at once, max_entries the longest list', async () => {
  for (const path of ['a.txt', 'b.txt']) writeFileSync(at(path), '12345');
  const narrow = await open({ max_read: 4, max_entries: 1 });
  const read = await failureOf(rowsOf(narrow, 'a.txt'));
  expect([read.code, read.message]).toEqual([
    'body_too_large',
    'the file "a.txt" is larger than 4 bytes (max_read): read it with a batch, or pass it on with download',
  ]);
  expect((await failureOf(ask(narrow, 'list', { path: '' }))).code).toBe('body_too_large');
  const wide = await open({ max_read: 5, max_entries: 2 });
  expect(await rowsOf(wide, 'a.txt')).toEqual([{ content: '12345' }]);
  expect((await ask(wide, 'list', { path: '' })).value).toHaveLength(2);
});

describe('a named operation', () => {
  const named = (own: Readonly<Record<string, unknown>>) =>
    ({ named: own, name: 'report' }) as Partial<CallDescription>;

  test('has its path by parameters, of which none leads to another folder', async () => {
    const connector = await open();
    const over = named({ path_pattern: 'reports/{year}/{customer}.csv' });
    const write = (params: Readonly<Record<string, unknown>>) =>
      ask(connector, 'write', { content: [{ a: 1 }], ...params }, over);
    await write({ year: 2026, customer: 'ä b' });
    expect(textOf('reports/2026/ä b.csv')).toBe('a\r\n1\r\n');
    for (const customer of ['../x', 'a/b', '..', '', 'a\\b', undefined, ['x']])
      expect((await failureOf(write({ year: 2026, customer }))).code).toBe('parameters_invalid');
  });

  test('has a format of its own, over which that of the place wins', async () => {
    const connector = await open();
    const over = named({ path_pattern: '{name}', format: 'ndjson' });
    await ask(connector, 'write', { name: 'a.json', content: { a: 1 } }, over);
    await ask(connector, 'write', { name: 'b.json', content: { a: 1 } }, { ...over, words: { format: 'csv' } });
    expect([textOf('a.json'), textOf('b.json')]).toEqual(['{"a":1}\n', 'a\r\n1\r\n']);
  });
});
