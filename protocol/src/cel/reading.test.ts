import { describe, expect, test } from 'vitest';
import type { CelError } from './engine.ts';
import { compile } from './testing/evaluate.ts';
import { toJson } from './values/json.ts';

const variables = { input: { price: 70, count: 2, items: [{ n: 1 }, { n: 2 }], text: 'a' }, output: { rate: 0.5 } };

/** Each part as its depth, its text and its value or error. */
function read(source: string): string[] {
  return compile(source)
    .read(variables)
    .map(({ start, end, depth, value, error }) => {
      const shown = error === undefined ? JSON.stringify(toJson(value)) : (error as CelError).message;
      return `${depth} ${source.slice(start, end)} = ${shown}`;
    });
}

describe('the parts of an expression', () => {
  test.each([
    ["'a'", []],
    ['input.price', []],
    ['input.price * double(input.count)', ['1 input.price = 70', '1 input.count = 2', '2 double(input.count) = 2']],
    [
      'input.price * (1.0 - output.rate) + input.count',
      [
        '1 input.price = 70',
        '1 output.rate = 0.5',
        '2 1.0 - output.rate = 0.5',
        '3 input.price * (1.0 - output.rate) = 35',
        '1 input.count = 2',
      ],
    ],
    ['(input.count + 1.0) * 2.0', ['1 input.count = 2', '2 input.count + 1.0 = 3']],
    ['input.items.map(x, x.n).size()', ['1 input.items = [{"n":1},{"n":2}]', '2 input.items.map(x, x.n) = [1,2]']],
    [
      'input.items[0].n + input.items[int(input.count) - 1].n',
      [
        '1 input.items[0].n = 1',
        '1 input.items = [{"n":1},{"n":2}]',
        '1 input.count = 2',
        '2 int(input.count) = 2',
        '3 int(input.count) - 1 = 1',
        '4 input.items[int(input.count) - 1] = {"n":2}',
        '5 input.items[int(input.count) - 1].n = 2',
      ],
    ],
    ['cel.bind(b, input.count, b * b) > 1.0', ['1 input.count = 2', '2 cel.bind(b, input.count, b * b) = 4']],
    [
      "has(input.gone) && input.text in ['a', 'b']",
      [
        '1 input.gone = no such key: gone',
        '2 has(input.gone) = false',
        '1 input.text = "a"',
        `2 input.text in ['a', 'b'] = true`,
      ],
    ],
    [
      'type(input.text) == string && math.ceil(output.rate) == 1.0',
      [
        '1 input.text = "a"',
        '2 type(input.text) = "string"',
        '3 type(input.text) == string = true',
        '1 output.rate = 0.5',
        '2 math.ceil(output.rate) = 1',
        '3 math.ceil(output.rate) == 1.0 = true',
      ],
    ],
  ])('%s', (source, parts) => {
    expect(read(source)).toEqual(parts);
  });

  test('their number is limited, and so is what they cost together', () => {
    const wide = `[${Array.from({ length: 5_000 }, () => 'input.price').join(', ')}]`;
    expect(compile(wide).read(variables)).toHaveLength(500);
    const loop = 'input.items.map(x, lists.range(30)).size()';
    const costly = compile(`[${Array.from({ length: 20 }, () => loop).join(', ')}]`, undefined, { costLimit: 200 });
    const errors = costly.read(variables).map(({ error }) => (error as CelError | undefined)?.reason);
    expect([errors[0], errors.includes('cost-limit')]).toEqual([undefined, true]);
  });
});
