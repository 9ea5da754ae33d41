import { expect, test } from 'vitest';
import { Expressions } from './expressions.ts';

test('a failure says whether the expression is not valid or fails with these values', () => {
  const expressions = new Expressions();
  expect(expressions.evaluate('1 / int(input.n)', { input: { n: 0 } })).toEqual({
    error: 'division by zero',
    reason: 'divide-by-zero',
  });
  expect(expressions.evaluate('input.absent', { input: {} })).toMatchObject({ reason: 'no-such-key' });
  expect(expressions.evaluate('1 +', {})).not.toHaveProperty('reason');
  expect(expressions.evaluate('2.0 * 2.0', {})).toEqual({ value: 4, type: 'double' });
});
