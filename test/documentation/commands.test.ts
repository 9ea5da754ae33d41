import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commands } from '../../runtime/src/cli/commands.ts';
import { commandHelps } from '../../runtime/src/cli/help.ts';
import { topPages } from '../structure/words.ts';
import { servers } from '../support/servers/index.ts';

const root = join(import.meta.dirname, '..', '..');
const pages = [...topPages, ...globSync(['docs/*.md', 'docs/connectors/*.md', 'examples/*/README.md'], { cwd: root })];
const helps = commandHelps(commands);
const scripts = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts);

/** What a page shows as code: blocks of a shell, and words within a sentence. */
function codeOf(page: string): string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const fenced = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)];
  const blocks = fenced.filter(([, kind]) => ['', 'sh', 'bash'].includes(kind ?? '')).map(([, , block = '']) => block);
  const words = [...text.replaceAll(/^```.*?^```$/gms, '').matchAll(/`([^`]+)`/g)].map(([, word = '']) => word);
  return [...blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n')), ...words];
}

describe.each(pages.sort())('%s', (page) => {
  test('names commands of svc, and options that they have', () => {
    const wrong = codeOf(page).flatMap((line) => {
      const [, command = '', rest = ''] = /^(?:\$ )?(?:[A-Z_]+=\S+ )*(?:npx )?svc ([a-z]+)\b([^#]*)/.exec(line) ?? [];
      if (command === '') return [];
      const help = helps.get(command);
      const options = [...rest.matchAll(/(?<=\s)--?[a-z][\w-]*/g)].map(([option]) => option);
      return help === undefined
        ? [line]
        : options.filter((option) => !help.includes(option)).map((at) => `${line}: ${at}`);
    });
    expect(wrong).toEqual([]);
  });

  test('names scripts of this repository', () => {
    const named = codeOf(page).flatMap((line) => /^npm (?:run )?((?!install|ci)[\w:]+)/.exec(line)?.[1] ?? []);
    expect(named.filter((script) => script !== 'run' && !scripts.includes(script))).toEqual([]);
  });
});

test('the README names the variable of every server that tests use', () => {
  const text = readFileSync(join(root, 'README.md'), 'utf8');
  expect(servers.map(({ variable }) => variable).filter((variable) => !text.includes(variable))).toEqual([]);
});
