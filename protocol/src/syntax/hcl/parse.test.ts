// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are HCL, which has such templates of its own
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { corpus } from '../testing/corpus.ts';
import { mutations } from '../testing/mutate.ts';
import { hclParser, parseHcl } from './parse.ts';

interface Node {
  readonly start: number;
  readonly end: number;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value;
}

/** What is wrong with the places of a node's children: outside of it, or of each other. */
function misplaced(node: Node, path: string): string[] {
  const found = node.start > node.end ? [`${path} ends before it starts`] : [];
  for (const [name, value] of Object.entries(node)) {
    const list = (Array.isArray(value) ? value : [value]).filter(isNode);
    let last = node.start;
    for (const child of list) {
      if (child.start < last || child.end > node.end)
        found.push(`${path}.${name} ${child.start}-${child.end} in ${last}-${node.end}`);
      last = child.end;
      found.push(...misplaced(child, `${path}.${name}`));
    }
  }
  return found;
}

function expectSound(text: string): void {
  const tree = parseHcl(text, 'a.hcl');
  expect({ text, misplaced: misplaced(tree.body, 'body') }).toEqual({ text, misplaced: [] });
  expect(tree.body).toMatchObject({ start: 0, end: text.length });
  const starts = tree.diagnostics.map(({ range }) => range.start);
  expect({ text, starts }).toEqual({ text, starts: starts.toSorted((a, b) => a - b) });
  for (const { range } of tree.diagnostics) {
    expect(range.start).toBeLessThanOrEqual(range.end);
    expect(range.end).toBeLessThanOrEqual(text.length);
  }
}

describe('for any text the tree is sound', () => {
  test('the corpus, and every beginning of its texts', () => {
    for (const text of Object.values(corpus))
      for (let end = 0; end <= text.length; end++) expectSound(text.slice(0, end));
  });

  test('damaged texts', () => {
    for (const text of mutations(11, 5000)) expectSound(text);
  });

  test('any characters', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.constantFrom(
        '{',
        '}',
        '"',
        '\n',
        '  ',
        '=',
        '[',
        ']',
        '(',
        ')',
        '${',
        '%{',
        '~',
        ',',
        '.',
        '*',
        ':',
        '?',
        '\r',
      ),
      fc.constantFrom(
        'a',
        'b = 1\n',
        'c "x" {\n',
        '<<E\n',
        '\nE\n',
        '#',
        '/*',
        '*/',
        'for ',
        ' in ',
        'if ',
        '...',
        '1',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => expectSound(pieces.join(''))),
      { numRuns: 3000 },
    );
  });
});

describe('hostile texts', () => {
  const many = 50_000;
  test.each<[string, string]>([
    ['brackets', `a = ${'['.repeat(many)}`],
    ['signs', `a = ${'!'.repeat(many)}x`],
    ['stars', `a = x${'[*]'.repeat(many)}`],
    ['attributes', `a = x${'.y'.repeat(many)}`],
    ['operators', `a = 1${' + 1'.repeat(many)}`],
    ['conditionals', `a = ${'x ? '.repeat(many)}`],
    ['blocks', 'a {\n'.repeat(many)],
    ['blocks on one line', 'a { '.repeat(many)],
    ['templates', `a = ${'"${'.repeat(many)}`],
    ['directives', `a = "${'%{ if x }'.repeat(many)}"`],
    ['objects', `a = ${'{a='.repeat(many)}`],
    ['objects on many lines', 'a = {\n'.repeat(many)],
    ['heredocs that never end', 'a = <<E\n'.repeat(many / 10)],
    ['closing braces', '}\n'.repeat(many)],
    ['closing braces on one line', '}'.repeat(many)],
    ['equal attributes', 'a = 1\n'.repeat(many)],
    ['blocks with many items on one line', `a { ${'b = 1, '.repeat(many)}`],
  ])('many %s are reported, not thrown', (_, text) => {
    const { diagnostics } = parseHcl(text, 'a.hcl');
    expect(diagnostics.length).toBeGreaterThan(0);
    expect(diagnostics.length).toBeLessThanOrEqual(100);
  });

  test('what is nested as deep as allowed can be read', () => {
    expect(parseHcl(`a = ${'['.repeat(240)}${']'.repeat(240)}\n`, 'a.hcl').diagnostics).toEqual([]);
  });

  test('a long heredoc and a long list are read', () => {
    const text = `a = <<E\n${'line with $ and %\n'.repeat(20_000)}E\nb = [${'1, '.repeat(20_000)}]\n`;
    expect(parseHcl(text, 'a.hcl').diagnostics).toEqual([]);
  });
});

test('an expression that fills the text', () => {
  expect(hclParser.parseExpression(' [1,\n 2] ')).toMatchObject({
    expression: { kind: 'list', start: 1, end: 8 },
    problems: [],
  });
  expect(hclParser.parseExpression('1 2').problems).toEqual(['Nothing may follow the value, but "2" does']);
  expect(hclParser.parseExpression('').problems).toEqual(['A value is missing here']);
});
