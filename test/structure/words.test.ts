import { expect, test } from 'vitest';
import { root } from './sources.ts';
import { exceptions, findings, ownWords, readTexts, topPages } from './words.ts';

/** Folders and files that use the terms of the field alone. */
const held = [...topPages, '.github', 'docs', 'e2e', 'examples', 'protocol', 'runtime', 'scripts', 'studio', 'test'];

/** Pages that are made from sources, and are held with them. */
const generated = 'docs/reference/';

test('sources and pages use the terms of the field, and doc comments are sentences', () => {
  const found = readTexts(root, held)
    .filter(({ path }) => !path.startsWith(generated))
    .flatMap(({ path, text }) => findings(path, text));
  expect(found).toEqual([]);
});

test('words are found in comments, texts, names and titles, also across lines of a comment', () => {
  const lines = [
    '// Told',
    "'nobody_waits'",
    'const hisPatience = isDeaf;',
    '/* goes',
    ' * on */',
    'a stand-in',
    'underlying',
  ];
  expect(ownWords('a.ts', lines.join('\n')).map(({ line, text }) => `${line} ${text.split(' -> ')[0]}`)).toEqual([
    '1 Told',
    '2 nobody',
    '3 Patience',
    '3 Deaf',
    '4 goes * on',
  ]);
});

test.each([
  ['/** A sentence. */', []],
  ['/**\n * `code` is one,\n * (and brackets.)\n */', []],
  ['/**\n * Follows:\n *\n * ```hcl\n * a = 1\n * ```\n */', []],
  ['/** a word. */', ['begins without a capital: a word.']],
  ['  /** A word */', ['ends without a full stop: A word']],
  ["const glob = '**/*.ts';", []],
])('doc comments are sentences: %j', (source, expected) => {
  expect(findings('a.ts', source)).toEqual(expected.map((text) => `a.ts:1 ${text}`));
});

test('every exception names a file that is there', () => {
  const paths = new Set(readTexts(root, Object.keys(exceptions)).map(({ path }) => path));
  expect([...paths].sort()).toEqual(Object.keys(exceptions).sort());
});
