import { expect, test } from 'vitest';
import { isTest, readSources } from './sources.ts';

const renderer = 'studio/src/renderer/';
const sources = readSources().filter(({ path }) => path.startsWith(renderer));
/** The folder of the page that a file is in. */
const folderOf = (path: string): string => path.slice(renderer.length).split('/')[0]!;

/** The folders that contribute views and commands, as `features.ts` lists them. */
const features = new Set(
  sources
    .find(({ path }) => path === `${renderer}features.ts`)!
    .imports.flatMap(({ file }) => (file === undefined ? [] : [folderOf(file)])),
);
features.delete('shell');

test('the shell, and what it uses, know no feature', () => {
  expect(features.size).toBeGreaterThan(10);
  const below = ['shell', 'state', 'theme', 'preferences', 'project', 'language'];
  const found = sources
    .filter(({ path }) => below.includes(folderOf(path)) && !isTest(path))
    .flatMap(({ path, imports }) =>
      imports.flatMap(({ file }) =>
        file?.startsWith(renderer) && features.has(folderOf(file)) ? [`${path} imports ${file}`] : [],
      ),
    );
  expect(found).toEqual([]);
});
