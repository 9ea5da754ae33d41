import { expect, test } from 'vitest';
import { parseHcl } from './hcl/parse.ts';
import { blockAt, type Location, locate } from './locate.ts';

/** Locates the place of the `|` in a text. */
function at(marked: string): Location {
  const offset = marked.indexOf('|');
  return locate(parseHcl(marked.replace('|', ''), 'a.hcl'), offset);
}

function brief(location: Location) {
  return {
    path: location.path.map((step) => `${[step.type, ...step.labels].join('.')}#${step.index}`).join(' '),
    part: location.part,
    attribute: location.attribute?.name.text,
    expressions: location.expressions.map(({ kind }) => kind).join(' '),
  };
}

test.each([
  ['a = 1\n|\nb = 2\n', '', 'body', undefined, ''],
  ['flo|w "x" {\n}\n', 'flow.x#0', 'type', undefined, ''],
  ['flow "x|" {\n}\n', 'flow.x#0', 'label', undefined, ''],
  ['flow "x" { |}\n', 'flow.x#0', 'body', undefined, ''],
  ['flow "x"  | {\n}\n', 'flow.x#0', 'head', undefined, ''],
  ['flow "x" {\n}|\n', '', 'body', undefined, ''],
  ['a {\n}\na {\n  b {\n    c = 1\n    |\n  }\n}\n', 'a#1 b#0', 'body', undefined, ''],
  ['a {\n  typ|e = 1\n}\n', 'a#0', 'attribute-name', 'type', ''],
  ['a {\n  type = |\n}\n', 'a#0', 'attribute-value', 'type', ''],
  ['a {\n  b = f([x.y|])\n}\n', 'a#0', 'attribute-value', 'b', 'call list attribute-access'],
  ['a = {\n  b = "$' + '{x|}"\n}\n', '', 'attribute-value', 'a', 'object template variable'],
  ['from { con|', 'from#0', 'attribute-name', 'con', ''],
])('%j', (marked, path, part, attribute, expressions) => {
  expect(brief(at(marked))).toEqual({ path, part, attribute, expressions });
});

test('a path leads back to its block', () => {
  const tree = parseHcl('a {\n}\na {\n  b "l" {\n  }\n}\n', '');
  const { blocks, path } = locate(tree, tree.text.indexOf('"l"'));
  expect(blockAt(tree, path)).toBe(blocks.at(-1));
  expect(blockAt(tree, [{ type: 'c', labels: [], index: 0 }])).toBeUndefined();
});
