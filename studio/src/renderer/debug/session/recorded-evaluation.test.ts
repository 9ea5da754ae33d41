import type { Variables } from '@svc/protocol/wire';
import { describe, expect, test } from 'vitest';
import { Expressions } from '../../../worker/expressions.ts';
import { evaluateRecorded, type ValueAsker } from './recorded-evaluation.ts';

const expressions = new Expressions();
const language = {
  askValues: (_name: string, source: string, scope: Readonly<Record<string, unknown>>) =>
    Promise.resolve(expressions.evaluate(source, scope)),
} as unknown as ValueAsker;

const run: Variables = {
  input: { id: 7, items: [1, 2, '… 98 more'], note: `aaa… (9000 characters)`, headers: { a: 'b' } },
  output: { total: 12.5 },
  steps: { user: { name: 'Ada' } },
  enriched: {},
  forced: [],
};

const of = (expression: string) => evaluateRecorded(language, run, expression);

describe('expressions over a run that has ended', () => {
  test('read its input, its output and what its steps gave', async () => {
    expect(await of('step.user.name + " " + string(output.total)')).toEqual({ result: 'Ada 12.5', type: 'string' });
    expect(await of('input.id > 5.0')).toEqual({ result: true, type: 'bool' });
  });

  test('say what is kept where a value is not', async () => {
    const kept = 'The run has ended: its input, output, step and enriched are what is kept of it.';
    expect(await of('step.stock.count')).toEqual({ error: `no such key: stock. ${kept}` });
    expect(await of('1 / 0')).toEqual({ error: `division by zero. ${kept}` });
  });

  test.each([
    ['size(input.items)', 'input.items'],
    ['input.note.endsWith("a")', 'input.note'],
    ['has(input.id) && input == {}', 'input'],
  ])('are refused where they read what was cut: %s', async (expression, path) => {
    expect(await of(expression)).toEqual({
      error: `${path} is too large: only a part of it is kept of a run that has ended.`,
    });
  });

  test('read beside what was cut', async () => {
    expect(await of('input.headers.a')).toEqual({ result: 'b', type: 'string' });
  });
});
