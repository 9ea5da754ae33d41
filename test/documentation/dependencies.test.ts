import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isTest, readSources, root } from '../structure/sources.ts';

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const page = readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8');
const manifest = (folder: string): Manifest => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));

/** What the first cells of the table under a heading name, as they are written. */
function rowsUnder(heading: string): readonly string[] {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [table = ''] = section.split('\n## ');
  return [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name]) => name as string);
}

const outside = (names: readonly string[]) => names.filter((name) => !name.startsWith('@svc/')).sort();

/** `monaco-editor` of `monaco-editor/editor/editor.api.js`. */
const packageOf = (specifier: string) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

/** What the page and the windows of the studio import: these are bundled, so that manifests hold them for development. */
function bundledByStudio(): readonly string[] {
  const sources = readSources().filter(({ path }) => path.startsWith('studio/src/') && !isTest(path));
  const styles = globSync('studio/src/**/*.css', { cwd: root }).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/@import\s+(?:url\()?['"]([^'"]+)/g)].map(([, name]) => name!),
  );
  const imported = sources.flatMap(({ imports }) =>
    imports.flatMap(({ specifier, typeOnly }) => (typeOnly ? [] : [specifier])),
  );
  const names = new Set([...imported, ...styles].map(packageOf));
  return Object.keys(manifest('studio').devDependencies ?? {}).filter((name) => names.has(name));
}

test('every package of the program has its row, and no other one', () => {
  const needed = ['protocol', 'runtime', 'studio'].flatMap((folder) =>
    Object.keys(manifest(folder).dependencies ?? {}),
  );
  expect([...rowsUnder('Packages of the program')].sort()).toEqual(outside([...new Set(needed)]));
});

test('every package that is bundled into the studio has its row, and no other one', () => {
  expect([...rowsUnder('Packages of the studio')].sort()).toEqual(outside(bundledByStudio()));
});

test('a row says what for, why this one, its licence, its size and when it is loaded', () => {
  const rows = page.split('\n## Own code')[0]!.match(/^\| `.*$/gm) ?? [];
  const short = rows.filter((row) => {
    const cells = row.split(/(?<!\\)\|/).slice(1, -1);
    return cells.length !== 6 || cells.some((cell) => cell.trim() === '');
  });
  expect(short).toEqual([]);
});

test('own code has a requirement or a measurement that decides for it', () => {
  const rows = page.split('\n## Own code')[1]!.match(/^\| (?!Part|---).*$/gm) ?? [];
  const cells = rows.map((row) =>
    row
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  const undecided = cells.filter(
    ([_part, requirement, _library, _own, measurement, decision = '']) =>
      requirement === '' ||
      (!/^(Library|Built in)/.test(decision) && (measurement === '' || /kept for now/.test(decision))),
  );
  expect(rows.length).toBeGreaterThan(20);
  expect(undecided).toEqual([]);
});

/** The licence that an installed package names, in either way of writing it. */
function licenceOf(name: string): string | undefined {
  const file = ['.', 'runtime', 'studio']
    .map((folder) => join(root, folder, 'node_modules', name, 'package.json'))
    .find((path) => existsSync(path));
  const { license, licenses } = JSON.parse(readFileSync(file as string, 'utf8')) as {
    readonly license?: string;
    readonly licenses?: readonly { readonly type: string }[];
  };
  return license ?? licenses?.[0]?.type;
}

test('the licences of rows are those of the packages', () => {
  const rows = [...page.split('\n## Own code')[0]!.matchAll(/^\| `([^`]+)` \|.*$/gm)];
  const stated = rows.map(([row, name]) => [name, row.split('|')[4]!.trim()]);
  expect(stated).toEqual(rows.map(([, name]) => [name, licenceOf(name!)]));
});
