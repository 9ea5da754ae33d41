import { describe, expect, test } from 'vitest';
import type { Expression } from './ast.ts';
import { parseTolerant } from './parser.ts';

/** A tree as text: holes are `_`, ranges are left out. */
function shape(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      return typeof node.value === 'string' ? JSON.stringify(node.value) : String(node.value);
    case 'identifier':
      return (node.absolute ? '.' : '') + node.name;
    case 'select':
      return `${shape(node.operand)}.${node.optional ? '?' : ''}${node.field || '_'}`;
    case 'index':
      return `${shape(node.operand)}[${node.optional ? '?' : ''}${shape(node.index)}]`;
    case 'call':
      return `${node.target ? `${shape(node.target)}.` : ''}${node.name}(${node.args.map(shape).join(', ')})`;
    case 'list':
      return `[${node.elements.map(({ value, optional }) => (optional ? '?' : '') + shape(value)).join(', ')}]`;
    case 'map':
      return `{${node.entries.map(({ key, value, optional }) => `${optional ? '?' : ''}${shape(key)}: ${shape(value)}`).join(', ')}}`;
    case 'unary':
      return `(${node.operator}${shape(node.operand)})`;
    case 'binary':
      return `(${shape(node.left)} ${node.operator} ${shape(node.right)})`;
    case 'conditional':
      return `(${shape(node.condition)} ? ${shape(node.then)} : ${shape(node.otherwise)})`;
    case 'message':
      return `${shape(node.type)}{…}`;
    case 'missing':
      return '_';
  }
}

function read(source: string): { tree: string; problems: string[] } {
  const { expression, rest, problems } = parseTolerant(source);
  return {
    tree: [expression, ...rest].map(shape).join(' ; '),
    problems: problems.map(({ message, range }) => `${range.start}-${range.end} ${message}`),
  };
}

describe('precedence', () => {
  test.each([
    ['a + b * c - d', '((a + (b * c)) - d)'],
    ['a || b && c == d', '(a || (b && (c == d)))'],
    ['a ? b : c ? d : e', '(a ? b : (c ? d : e))'],
    ['a ?? b ?? c', '(a ?? (b ?? c))'],
    ["'id-' + input.a ?? 'x'", '(("id-" + input.a) ?? "x")'],
    ['a && b && c && d', '((a && b) && (c && d))'],
    ['!a.b(1)[2].?c', '(!a.b(1)[2].?c)'],
    ['-1 + - 2 - --x', '((-1 + -2) - (-(-x)))'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['[1, ?a, 2,]', '[1, ?a, 2]'],
    ["{?'a': b, 'c': d,}", '{?"a": b, "c": d}'],
    ['a in b.c', '(a in b.c)'],
    ['m.for + m.`a-b`', '(m.for + m.a-b)'],
    ['a // comment\n + b', '(a + b)'],
    ['r"\\d" + "\\u00e4\\n" + """a"b"""', '(("\\\\d" + "ä\\n") + "a\\"b")'],
  ])('%s', (source, tree) => {
    expect(read(source)).toEqual({ tree, problems: [] });
  });
});

describe('recovery', () => {
  test.each([
    ['', '_', ['0-0 the expression is empty']],
    ['input.', 'input._', ['6-6 a field name is missing after "."']],
    ['input. + 1', '(input._ + 1)', ['6-6 a field name is missing after "."']],
    ['input.a ==', '(input.a == _)', ['10-10 the expression ends where a value is expected']],
    ['size(input.', 'size(input._)', ['11-11 a field name is missing after "."', '11-11 the closing ")" is missing']],
    ['f(a, , b)', 'f(a, _, b)', ['5-6 a value is expected before ","']],
    ['[1, 2', '[1, 2]', ['5-5 the closing "]" is missing']],
    [
      "{'a': 1, 'b'}",
      '{"a": 1, "b": _}',
      ['12-13 the key has no ":" and value', '12-13 a value is expected before "}"'],
    ],
    [
      'a ? b',
      '(a ? b : _)',
      ['5-5 the second part of the conditional starts with ":"', '5-5 the expression ends where a value is expected'],
    ],
    ['a b.c', 'a ; b.c', ['2-3 "b" is not expected here']],
    [
      'a = 1 & b | c',
      '(((a == 1) && b) || c)',
      [
        '2-3 "=" is not an operator; write "=="',
        '6-7 "&" is not an operator; write "&&"',
        '10-11 "|" is not an operator; write "||"',
      ],
    ],
    ['a # b', 'a ; b', ['2-3 unexpected character "#"', '4-5 "b" is not expected here']],
    ["'abc", '"abc"', ['0-4 the text has no closing quotation mark']],
    ['1abc + 2', '(1 + 2)', ['0-4 "1abc" is not a number']],
    ['99999999999999999999', '0', ['0-20 the number does not fit into a 64-bit integer']],
    ['if + 1', '(if + 1)', ['0-2 "if" is a reserved word; a field of this name is read with ["if"]']],
    ['a.in', 'a._', ['2-4 "in" cannot be a field here; write ["in"]']],
  ])('%s', (source, tree, problems) => {
    expect(read(source)).toEqual({ tree, problems });
  });

  test('every prefix of an expression yields a tree and ends', () => {
    const source =
      "has(input.a) && input.items.map(i, {'id': i.id, \"n\": [1, 2u, b'x'][0]}).exists(x, x.n > 1.5) ? a ?? 'b' : -c[?0]";
    for (let end = 0; end <= source.length; end++) {
      const { expression } = parseTolerant(source.slice(0, end));
      expect(expression.end).toBeLessThanOrEqual(end);
    }
  });
});

describe('limits', () => {
  test.each([
    ['brackets', `${'('.repeat(100_000)}a${')'.repeat(100_000)}`],
    ['lists', '['.repeat(100_000)],
    ['signs', `${'!-'.repeat(100_000)}a`],
    ['sums', `a${' + a'.repeat(100_000)}`],
    ['fields', `a${'.a'.repeat(100_000)}`],
    ['indexes', `a${'[0]'.repeat(100_000)}`],
    ['conditionals', `${'a ? b : '.repeat(100_000)}c`],
    ['fallbacks', `${'a ?? '.repeat(100_000)}c`],
  ])('100,000 nested %s are refused with one problem', (_, source) => {
    expect(parseTolerant(source).problems).toHaveLength(1);
  });

  test('long chains of conditions do not make a deep tree', () => {
    expect(parseTolerant(Array(20_000).fill('a == 1').join(' || ')).problems).toEqual([]);
  });

  test('a mixture of "??" and "?:" without brackets is a warning', () => {
    const warning = 'put brackets around the part with "??": beside "?:" it is easily misread';
    expect(read("a ?? b ? 'x' : 'y'").problems).toEqual([`0-6 ${warning}`]);
    expect(read('a ? b : c ?? d').problems).toEqual([`8-14 ${warning}`]);
    expect(read("(a ?? b) ? 'x' : (c ?? d)").problems).toEqual([]);
  });
});
