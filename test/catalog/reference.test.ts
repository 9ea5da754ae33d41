import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vocabulary } from '@svc/runtime/vocabulary';
import { describe, expect, test } from 'vitest';
import { referencePages } from '../../runtime/src/checks/reference/pages.ts';
import { commands } from '../../runtime/src/cli/commands.ts';
import { commandHelps } from '../../runtime/src/cli/help.ts';
import { bodies } from './bodies.ts';

const folder = join(import.meta.dirname, '../../docs/reference');
const pages = referencePages(vocabulary, commandHelps(commands));

describe('the reference', () => {
  test.each([...pages])('%s is in docs/reference as it is made', (path, text) => {
    const file = join(folder, path);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : `missing: npm run docs`).toBe(text);
  });

  test('holds nothing else', () => {
    expect(globSync('**/*.md', { cwd: folder }).sort()).toEqual([...pages.keys()].sort());
  });

  test('names every attribute of every block', () => {
    const all = [...pages.values()].join('\n');
    const missing = bodies().flatMap(({ title, spec }) =>
      Object.keys(spec.attributes)
        .filter((name) => !all.includes(`- \`${name}\` (`))
        .map((name) => `${title}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  test('leaves no placeholder in its sentences', () => {
    expect([...pages.values()].filter((text) => /undefined|\[object|TODO/.test(text))).toEqual([]);
  });
});
