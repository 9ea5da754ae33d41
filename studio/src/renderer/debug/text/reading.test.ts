import type { Reading, ReadPart } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { layReading, placeExpression, placeLabel } from './reading.ts';

const expression = 'output.subtotal * (1.0 - output.discount) + step.quote.shipping';

function part(text: string, value: unknown, depth: number, source = expression): ReadPart {
  const start = source.indexOf(text);
  return { start, end: start + text.length, depth, text, value, type: 'double', error: '' };
}

const reading: Reading = {
  expression,
  parts: [
    part('output.subtotal', 129.5, 1),
    part('output.discount', 0.1, 1),
    part('1.0 - output.discount', 0.9, 2),
    part('output.subtotal * (1.0 - output.discount)', 116.55, 3),
    part('step.quote.shipping', 4.9, 1),
  ],
  result: { value: 121.45, type: 'double', error: '' },
};

test('values hang under their parts, smallest first, the whole last', () => {
  const { brackets, rows, folded } = layReading(reading, new Set(['step.quote.shipping']), false);
  expect([rows, folded]).toEqual([4, 0]);
  expect(brackets.map(({ start, end, row, label, kind }) => [start, end, row, label, kind])).toEqual([
    [0, 15, 0, '129.5', 'value'],
    [25, 40, 0, '0.1', 'value'],
    [44, 63, 0, '4.9', 'forced'],
    [19, 40, 1, '0.9', 'value'],
    [0, 41, 2, '116.55', 'value'],
    [0, 63, 3, '121.45', 'result'],
  ]);
});

test('values wider than their parts never touch', () => {
  const source = 'a.b + c.d';
  const wide = {
    expression: source,
    parts: [part('a.b', 'a long text', 1, source), part('c.d', 'another one', 1, source)],
  };
  const { brackets } = layReading({ ...wide, result: reading.result }, new Set(), false);
  expect(brackets.map(({ row }) => row)).toEqual([0, 1, 2]);
});

test('more than five levels fold the innermost until the person opens them', () => {
  const source = 'f(f(f(f(f(f(x.y))))))';
  const parts = Array.from({ length: 6 }, (_, depth) => {
    const text = source.slice(2 * (6 - depth), source.length - (6 - depth));
    return part(text, depth, depth + 1, source);
  });
  const deep = { expression: source, parts, result: reading.result };
  expect(layReading(deep, new Set(), false)).toMatchObject({ rows: 5, folded: 2 });
  expect(layReading(deep, new Set(), true)).toMatchObject({ rows: 7, folded: 0 });
});

test('a part that failed says why', () => {
  const failed = { ...part('output.subtotal', null, 1), error: 'no such key: subtotal' };
  const { brackets } = layReading({ ...reading, parts: [failed] }, new Set(), false);
  expect(brackets[0]).toMatchObject({ label: 'no such key: subtotal', kind: 'error' });
});

test('an expression is found in its text, with escapes undone', () => {
  expect(placeExpression('"a + b"', 'a + b')).toEqual([1, 2, 3, 4, 5, 6]);
  expect(placeExpression('"a == \\"b\\""', 'a == "b"')).toEqual([1, 2, 3, 4, 5, 6, 8, 9, 11]);
  expect(placeExpression('"\'$${x\\u00e9}\'"', "'${xé}'")).toEqual([1, 2, 4, 5, 6, 12, 13, 14]);
  expect(placeExpression('"a - b"', 'a + b')).toBeUndefined();
});

test('a part without a value is absent where a default follows it, and failed elsewhere', () => {
  const expression = "lower(input.email ?? '') + input.name";
  const part = (text: string) => ({
    ...{ text, start: expression.indexOf(text), end: expression.indexOf(text) + text.length },
    ...{ depth: 1, value: null, type: '', error: `${text} is absent` },
  });
  const parts = [part('input.email'), part('input.name')];
  const { brackets } = layReading(
    { expression, parts, result: { value: null, type: '', error: 'x' } },
    new Set(),
    false,
  );
  expect(brackets.slice(0, 2).map(({ kind, label }) => [kind, label])).toEqual([
    ['error', 'input.name is absent'],
    ['absent', 'absent'],
  ]);
});

test('a label is in the middle of what is seen of its bracket', () => {
  const view = { from: 100, to: 500 };
  const label = (from: number, to: number, width: number, isResult = false) =>
    placeLabel({ from, to, width, isResult }, view);
  expect(label(200, 300, 40)).toEqual({ at: 250, isBeside: false });
  expect(label(300, 900, 40)).toEqual({ at: 400, isBeside: false });
  expect(label(0, 300, 40)).toEqual({ at: 200, isBeside: false });
  // Hardly seen, it stays inside of its bracket; wider than it, in the middle of it.
  expect(label(480, 900, 100)).toEqual({ at: 530, isBeside: false });
  expect(label(200, 230, 90)).toEqual({ at: 215, isBeside: false });
});

test('the result is beside a short rule, and stays in view beside a long one', () => {
  const view = { from: 100, to: 500 };
  const result = (from: number, to: number, width: number) => placeLabel({ from, to, width, isResult: true }, view);
  expect(result(200, 260, 120)).toEqual({ at: 264, isBeside: true });
  expect(result(200, 900, 120)).toEqual({ at: 350, isBeside: false });
  expect(result(450, 900, 120)).toEqual({ at: 510, isBeside: false });
});
