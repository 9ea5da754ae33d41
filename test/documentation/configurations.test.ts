import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runCommand } from '../support/service.ts';

const root = join(import.meta.dirname, '..', '..');
const written = ['examples', 'studio/templates'].flatMap((folder) =>
  readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
);
const pages = [
  'README.md',
  ...globSync(['docs/*.md', 'docs/connectors/*.md', 'examples/*/README.md'], { cwd: root }),
].sort();

/** Its configuration has a connector that the program does not know; `lines/service.test.ts` runs it. */
const extending = 'docs/connectors/writing-one.md';

/** The blocks of HCL of a page. Together they are one configuration. */
const blocksOf = (page: string): string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^```hcl\n(.*?)^```$/gms)].map(([, block]) => block!);

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-documentation-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('every example and template is valid, without a warning', () => {
  test.each(written)('%s', async (path) => {
    cpSync(join(root, path), folder, { recursive: true });
    const { code, stdout, stderr } = await runCommand(['validate', '--strict', '-c', folder]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });

  test.each(written)('%s is in the canonical layout', async (path) => {
    const { code, stdout, stderr } = await runCommand(['fmt', '--check', '-c', join(root, path)]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });
});

describe('the HCL of every page is valid, without a warning', () => {
  test.each(pages.filter((page) => blocksOf(page).length > 0 && page !== extending))('%s', async (page) => {
    mkdirSync(join(folder, 'tests'));
    for (const [index, block] of blocksOf(page).entries())
      writeFileSync(join(folder, block.startsWith('test ') ? 'tests' : '', `block-${index + 1}.hcl`), block);
    // Files that the page shows: their fences say their paths.
    for (const [, path = '', text = ''] of readFileSync(join(root, page), 'utf8').matchAll(
      /^```\w+ ([\w/-]+\.\w+)\n(.*?)^```$/gms,
    )) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    // Templates that the reader of the page has.
    for (const [, path = ''] of blocksOf(page)
      .join('')
      .matchAll(/"\.\/([\w/-]+\.html)"/g)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
    const { code, stdout, stderr } = await runCommand(['validate', '--strict', '-c', folder]);
    expect({ code, said: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, said: '' });
  });
});

describe('the commands before `svc start` in the page of an example succeed in its folder', () => {
  /** Those of an example that needs a server are run from end to end (`e2e/`). */
  const prepares = (page: string) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/^svc (migrate|test|validate)\b([^#\n]*)/gm)].map(
      ([, command = '', options = '']) => [command, ...options.trim().split(/\s+/).filter(Boolean)],
    );
  const ofExamples = pages.filter((page) => page.startsWith('examples/') && !page.includes('postgres'));
  test.each(ofExamples.filter((page) => prepares(page).length > 0))('%s', async (page) => {
    cpSync(join(root, page, '..'), folder, { recursive: true });
    for (const [command = '', ...options] of prepares(page)) {
      const { code, stdout, stderr } = await runCommand([command, ...options, '-c', folder]);
      expect({ command, code, said: code === 0 ? '' : stdout + stderr }).toEqual({ command, code: 0, said: '' });
    }
  });
});

describe('every link of a page leads to a file', () => {
  test.each(pages)('%s', (page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)].map(([, link]) => link!);
    const folderOf = join(root, page, '..');
    expect(links.filter((link) => globSync(link, { cwd: folderOf }).length === 0)).toEqual([]);
  });
});
