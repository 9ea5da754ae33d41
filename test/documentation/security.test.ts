import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCases } from '../structure/cases.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/security.md'), 'utf8');

/** A row of the tables: a promise, where it is kept, what shows it. */
const rows = [...page.matchAll(/^\| (.+) \| (`.+`) \| (`.+`) \| (S-\d+) \|$/gm)].map(
  ([, promise = '', kept = '', shown = '', number = '']) => ({
    promise,
    kept: paths(kept),
    shown: paths(shown),
    number,
  }),
);

function paths(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
}

describe('the page about security', () => {
  test.each(rows)('$number: $promise', ({ kept, shown, number }) => {
    for (const path of [...kept, ...shown]) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    for (const path of shown) expect([path, titled(path, number)]).toEqual([path, true]);
  });

  test('has a promise for every case of security that is answered for, and for no other', () => {
    const answered = readCases()
      .map(({ number }) => number)
      .filter((number) => number.startsWith('S-'));
    expect([...new Set(rows.map(({ number }) => number))].toSorted()).toEqual(answered.toSorted());
  });

  test('has no row that cannot be read as one', () => {
    const lines = page.split('\n').filter((line) => line.startsWith('|') && !/^\| Promise|^\|---/.test(line));
    expect(lines.length).toBe(rows.length);
  });

  test('names files that exist outside its tables too', () => {
    const named = paths(page).filter((path) => /^(runtime|protocol|studio|test)\//.test(path));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** Whether a title of the file names the case, alone or with others. */
function titled(path: string, number: string): boolean {
  return new RegExp(`['"\`][^'"\`\\n]*\\b${number}\\b`).test(readFileSync(join(root, path), 'utf8'));
}
