import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

/** The text below a heading of the second level. */
function section(heading: string): string {
  return page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

const paths = (text: string) => [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path = '']) => path);

describe('the page about the architecture', () => {
  const questions = [...section('Where do I change ...?').matchAll(/^\| (\.\.\. .+?) \| (.+) \|$/gm)];

  test('answers twenty questions and more', () => expect(questions.length).toBeGreaterThanOrEqual(20));

  test.each(questions.map(([, question = '', answer = '']) => [question, answer] as const))(
    'Where do I change %s: the files exist',
    (_question, answer) => {
      expect(paths(answer).length).toBeGreaterThan(0);
      expect(paths(answer).filter((path) => !existsSync(join(root, path)))).toEqual([]);
    },
  );

  test('and the guide for contributors name folders and files that exist, below the root or the sources of a workspace', () => {
    const tops = ['', 'runtime/src', 'protocol/src', 'studio', 'studio/src', 'studio/src/renderer', 'docs'];
    const guide = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
    const lost = paths(page + guide).filter((path) => !tops.some((top) => existsSync(join(root, top, path))));
    expect(lost).toEqual([]);
  });

  test('has every folder of protocol and runtime in its tables', () => {
    const foldersIn = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      );
    const wings = foldersIn('runtime/src').filter((wing) => wing !== 'connectors' && wing !== 'cli');
    const rooms = wings.flatMap((wing) => foldersIn(`runtime/src/${wing}`));
    const folders = [...foldersIn('protocol/src'), ...rooms, 'cli'];
    const rows = [...section('Workspaces').matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, word = '']) => word),
    );
    expect(folders.filter((name) => !rows.includes(name))).toEqual([]);
  });
});
