import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { acceptanceCases } from './acceptance.ts';

const root = join(import.meta.dirname, '../..');

/** Acceptance numbers in the titles of tests, and of suites that several tests call. */
function titled(): Set<string> {
  const files = globSync('{protocol,runtime,test,e2e}/**/{*.test,conformance}.ts', {
    cwd: root,
    exclude: (path) => path.includes('node_modules'),
  });
  const titles = files.flatMap((file) =>
    [
      ...readFileSync(join(root, file), 'utf8').matchAll(
        /(?:test|it|describe)(?:\.\w+(?:\([^()]*\))?)*\(\s*(['"`])([\s\S]*?)\1/g,
      ),
    ].map((match) => match[2] as string),
  );
  return new Set(titles.flatMap((title) => title.match(/\b[RSXPA]-\d+\b/g) ?? []));
}

test('every acceptance case stands in the title of a test', () => {
  const found = titled();
  expect(Object.keys(acceptanceCases).filter((number) => !found.has(number))).toEqual([]);
});
