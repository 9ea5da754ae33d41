import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/connectors/writing-one.md'), 'utf8');
const folder = 'test/documentation/lines';

/** The blocks of code that follow the path of their file. */
const shown = new Map(
  [...page.matchAll(/^`([^`\n]+)`:\n\n```\w+\n(.*?)^```$/gms)].map(([, path = '', text = '']) => [path, text]),
);

describe('the page about writing a connector', () => {
  test('shows every file of its example', () => {
    const files = readdirSync(join(root, folder)).filter((name) => !name.endsWith('.test.ts'));
    expect([...shown.keys()].toSorted()).toEqual(files.map((name) => `${folder}/${name}`).toSorted());
  });

  test.each([...shown])('shows the text of %s as it is', (path, text) => {
    expect(text).toBe(readFileSync(join(root, path), 'utf8'));
  });

  test('names files that exist', () => {
    const text = page.replaceAll(/^```.*?^```$/gms, '');
    const named = [...text.matchAll(/`((?:runtime|protocol|test)\/[\w./-]+)`/g)].map(([, path = '']) => path);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});
