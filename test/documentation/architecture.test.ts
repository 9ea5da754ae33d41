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

  test('names folders and files that exist, below the root or the sources of a workspace', () => {
    const tops = ['', 'runtime/src', 'protocol/src', 'studio', 'studio/src', 'studio/src/renderer', 'docs'];
    const lost = paths(page).filter((path) => !tops.some((top) => existsSync(join(root, top, path))));
    expect(lost).toEqual([]);
  });

  test('has every folder of protocol and runtime in its tables', () => {
    const folders = ['protocol', 'runtime'].flatMap((workspace) =>
      readdirSync(join(root, workspace, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    );
    const rows = [...section('Workspaces').matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)[^`]*`/g)].map(([, word = '']) => word),
    );
    expect(folders.map(({ name }) => name).filter((name) => !rows.includes(name))).toEqual([]);
  });
});
