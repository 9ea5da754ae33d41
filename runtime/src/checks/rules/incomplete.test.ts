import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { problemsOf } from './testing/problems.ts';

const root = join(import.meta.dirname, '..');

/** The text without each of its attributes of one line, and without each of its blocks. */
function* incomplete(text: string): Iterable<string> {
  const lines = text.split('\n');
  for (const [start, line] of lines.entries()) {
    const [indent] = /^ */.exec(line) as RegExpExecArray;
    const isBlock = line.endsWith('{');
    if (!isBlock && !line.includes(' = ')) continue;
    const end = isBlock ? lines.findIndex((other, at) => at > start && other === `${indent}}`) : start;
    if (end >= start) yield [...lines.slice(0, start), ...lines.slice(end + 1)].join('\n');
  }
}

const examples = globSync('connectors/**/example.hcl', { cwd: root });

test.each(examples)('%s is checked to its end, whatever it lacks', (path) => {
  const text = readFileSync(join(root, path), 'utf8');
  for (const cut of incomplete(text)) expect(() => problemsOf(cut), cut).not.toThrow();
});
