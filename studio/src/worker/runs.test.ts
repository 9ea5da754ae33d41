import { expect, test } from 'vitest';
import { Expressions } from './expressions.ts';
import { type KeptRun, Runs } from './runs.ts';

const run = (number: number, input: Readonly<Record<string, unknown>>): KeptRun => ({
  summary: { id: `r${number}`, number, flow: 'order', startedAt: 0, durationUs: 0, how: 'ended', input: '' },
  scope: {
    ...{ flow: 'order', input, output: {}, step: {}, enriched: {} },
    ...{ answer: null, error: '', dropped: '', ms: number },
  },
  thread: { number },
});

const numbers = (runs: Runs, condition: string) => runs.list(condition).map(({ number }) => number);

test('the last two hundred are kept, and listed newest first', () => {
  const runs = new Runs(new Expressions());
  for (let number = 1; number <= 450; number++) runs.keep([run(number, {})]);
  const all = numbers(runs, ' ');
  expect([all.length, all[0], all.at(-1)]).toEqual([200, 450, 251]);
  expect(runs.find('r250')).toBe(undefined);
  expect(runs.find('r251')?.thread).toEqual({ number: 251 });
  runs.forget();
  expect(numbers(runs, '')).toEqual([]);
});

test('a condition finds those of which it is true, and what a run lacks makes none true', () => {
  const runs = new Runs(new Expressions());
  runs.keep([run(1, { n: 1 }), run(2, { n: 5, tags: ['a'] }), run(3, {})]);
  expect(numbers(runs, "flow == 'order' && input.n > 2.0")).toEqual([2]);
  expect(numbers(runs, "'a' in input.tags")).toEqual([2]);
  expect(numbers(runs, 'ms >= 2.0')).toEqual([3, 2]);
  expect(numbers(runs, 'input.n')).toEqual([]);
  expect(() => runs.list('input.n >')).toThrow('the expression ends where a value is expected');
  expect(() => runs.list('nosuch > 1')).toThrow('there is no variable "nosuch" here');
});

test('an expression that costs too much ends', () => {
  const list = '[1,2,3,4,5,6,7,8,9,10]';
  const costly = `${list}.map(a, ${list}.map(b, ${list}.map(c, ${list}.map(d, ${list}.map(e, ${list}.map(f, f))))))`;
  expect(new Expressions().evaluate(costly, {})).toEqual({ error: expect.any(String), reason: 'cost-limit' });
});
