import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noticesOf } from '../../../scripts/notices.ts';
import { folderWith } from '../../support/folder.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The packages that esbuild put into the program, by the folders of their files. */
function bundledPackages(): readonly string[] {
  const { outputs } = JSON.parse(readFileSync(join(root, 'runtime/dist/meta.json'), 'utf8')) as {
    readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, unknown>> }>>;
  };
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/?]+/.exec(file)?.[0] ?? []);
  return [...new Set(folders)].map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    return `${name} ${version}`;
  });
}

/** The titles of the notices of a folder. */
function titlesIn(folder: string): readonly string[] {
  const text = readFileSync(join(root, folder, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
  return [...text.matchAll(/^(.+)\nLicence: .+\n\n.+/gm)].map(([, title = '']) => title);
}

test('the program has the notices of every package that is bundled, and of the pages beside it', () => {
  const pages = titlesIn('runtime/dist').filter((title) =>
    /^(?:@graphql-yoga\/render-graphiql|swagger-ui-dist) /.test(title),
  );
  expect(pages).toHaveLength(2);
  expect(titlesIn('runtime/dist')).toEqual([...new Set([...bundledPackages(), ...pages])].sort());
});

test('the studio has the notices of its packages, its editor and its fonts among them', () => {
  const names = titlesIn('studio/dist').map((title) => title.split(' ')[0]);
  expect(names).toEqual(expect.arrayContaining(['@fontsource-variable/inter', 'monaco-editor', 'react', 'ws']));
});

describe('a package', () => {
  const packageWith = (manifest: object, files: Readonly<Record<string, string>>): string =>
    folderWith({ 'package.json': JSON.stringify({ name: 'one', version: '1.0.0', ...manifest }), ...files });

  test.each([
    ['its file', { LICENSE: 'Do what is right.\r\n' }, 'Do what is right.'],
    [
      'its readme',
      { 'README.md': '# One\n\n## License\n\nPermission is granted.\n\n# More\n' },
      'Permission is granted.',
    ],
  ])('has the text of %s', (_, files, text) => {
    expect(noticesOf([packageWith({ license: 'MIT' }, files)])).toBe(`one 1.0.0\nLicence: MIT\n\n${text}\n`);
  });

  test.each([
    ['names no licence', {}, { LICENSE: 'x' }, 'one 1.0.0 names no licence'],
    [
      'has no text',
      { license: 'MIT' },
      { 'README.md': '## License\n\nMIT\n' },
      'one 1.0.0 has no text of its licence, MIT',
    ],
  ])('that %s is refused', (_, manifest, files, problem) => {
    expect(() => noticesOf([packageWith(manifest, files)])).toThrow(problem);
  });
});
