import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cancelled, LanguageService } from '@svc/protocol/language';
import { afterEach, expect, test } from 'vitest';
import { loadConfiguration } from '../../service/config/load.ts';
import { readConfiguration } from '../../service/config/read.ts';
import { Editor, supportOfTexts } from './testing/editor.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** What `svc validate` says about texts. */
async function validate(texts: Readonly<Record<string, string>>) {
  const directory = await mkdtemp(join(tmpdir(), 'svc-language-'));
  folders.push(directory);
  for (const [path, text] of Object.entries(texts)) await writeFile(join(directory, path), text);
  const options = { environment: {}, workingDirectory: directory, tests: true, workers: 1 };
  return (await loadConfiguration(directory, options)).diagnostics;
}

const connectors = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\nconnector "lost" {\n  type = "rest"\n}\n';
const flow = `flow "f" {
  from {
    connector = "apy"
    operation = "POST /x"
  }
  transform {
    a = "inptu.x"
  }
  to {
    conector = "api"
  }
}
`;

test('the problems are those of svc validate, expressions included', async () => {
  const texts = { 'a.hcl': connectors, 'b.hcl': flow };
  const service = new LanguageService(supportOfTexts());
  for (const [path, text] of Object.entries(texts)) service.provide(path, text);
  const said = service.diagnostics();
  expect(said).toEqual(await validate(texts));
  expect(said.map(({ code, file }) => `${file} ${code}`)).toContain('b.hcl invalid-expression');
});

test('after each of many edits they are what a fresh reading says', () => {
  const edited = new LanguageService(supportOfTexts());
  const texts = new Map([
    ['a.hcl', connectors],
    ['b.hcl', flow],
    [
      'c.hcl',
      'constants {\n  limit = 3\n}\ntransform "t" {\n  x = "input.y +"\n}\nflow "g" {\n  transform {\n    use = "t"\n  }\n}\n',
    ],
    [
      'd.hcl',
      'constants {\n  most = 5\n}\ntype "line" {\n  n = number\n}\ntype "order" {\n  lines = array({ items = "line" })\n  note  = string({ max_length = constants.most })\n}\n',
    ],
    [
      'e.hcl',
      `connector "api2" {\n  type = "rest"\n  port = 3001\n}\n${flow.replace('"f"', '"h"').replace('apy', 'api2')}`,
    ],
  ]);
  for (const [path, text] of texts) edited.open(path, text);
  const edits: readonly (readonly [string, string, string])[] = [
    ['b.hcl', 'apy', 'api'],
    ['b.hcl', 'inptu', 'input'],
    ['a.hcl', 'connector "api"', '\n\nconnector "apx"'],
    ['c.hcl', 'input.y +', 'input.y + 1'],
    ['c.hcl', 'transform "t"', 'transform "u"'],
    ['b.hcl', '  to {', '  to '],
    ['c.hcl', 'constants {', 'constants {\n  more = env("X")'],
    ['a.hcl', '3000', '"many"'],
    ['d.hcl', 'type "line"', 'type "lime"'],
    ['d.hcl', 'most = 5', 'most = "x"'],
    ['d.hcl', 'most = "x"', 'most = 6'],
    ['d.hcl', 'type "lime"', '# a comment\ntype "line"'],
    ['b.hcl', 'POST /x', 'POST /:y'],
    ['e.hcl', 'POST /x', 'POST /:z'],
    ['b.hcl', 'connector = "api"', 'connector = "api2"'],
    ['e.hcl', 'type = "rest"\n  port = 3001', 'type = "cache"\n  driver = "memory"'],
    ['e.hcl', 'connector "api2"', 'connector "api3"'],
  ];
  for (const [path, from, to] of edits) {
    const before = texts.get(path) as string;
    const start = before.indexOf(from);
    expect(start, from).toBeGreaterThanOrEqual(0);
    texts.set(
      path,
      before.replace(from, () => to),
    );
    edited.change(path, [{ range: { start, end: start + from.length }, text: to }]);
    const fresh = new LanguageService(supportOfTexts());
    for (const [file, text] of texts) fresh.provide(file, text);
    expect(edited.diagnostics(), `${from} to ${to}`).toEqual(fresh.diagnostics());
  }
});

test('an open text wins over the stored one until it is closed', () => {
  const service = new LanguageService(supportOfTexts());
  service.provide('a.hcl', connectors);
  service.open('a.hcl', 'connector "x" {}\n');
  service.provide('a.hcl', connectors);
  expect(service.text('a.hcl')).toBe('connector "x" {}\n');
  service.close('a.hcl');
  expect(service.text('a.hcl')).toBe(connectors);
  service.provide('a.hcl', undefined);
  expect(service.paths).toEqual([]);
  expect(service.diagnostics()).toEqual([]);
  expect(() => service.change('a.hcl', '')).toThrow('the file a.hcl is not open');
});

test('a cancelled query throws and leaves everything as it was', () => {
  const { service, path } = new Editor('connector "x" {<|>}');
  const signal = AbortSignal.abort();
  expect(() => service.diagnostics(signal)).toThrow(Cancelled);
  expect(() => service.completion(path, 0, signal)).toThrow(Cancelled);
  expect(service.diagnostics()).not.toEqual([]);
});

test('no query fails at any place of a file, whole or cut off anywhere', async () => {
  const directory = join(import.meta.dirname, '../../../../examples/bookings-postgres');
  const text = (await readConfiguration(directory, { tests: false })).map((file) => file.text).join('\n');
  expect(text).toContain('flow "');
  const service = new LanguageService(supportOfTexts());
  for (let end = 0; end < text.length; end += 7) {
    service.open('a.hcl', text.slice(0, end));
    for (const offset of [end, end >> 1]) {
      service.completion('a.hcl', offset);
      service.hover('a.hcl', offset);
      service.signatureHelp('a.hcl', offset);
      service.definition('a.hcl', offset);
      service.references('a.hcl', offset, true);
    }
    service.foldingRanges('a.hcl');
    service.documentSymbols('a.hcl');
    service.formatting('a.hcl');
    service.diagnostics();
  }
});
