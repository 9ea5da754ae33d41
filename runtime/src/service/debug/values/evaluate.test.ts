import { expect, test } from 'vitest';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { clientEngine, Evaluator } from './evaluate.ts';

test('what clients write is not kept without limit', () => {
  let engines = 0;
  const create = () => {
    engines++;
    return clientEngine(() => undefined, {}, systemClock);
  };
  const evaluator = new Evaluator(create);
  for (let at = 0; at < 10_000; at++) expect(evaluator.compile(`${at} + 1`)).toHaveProperty('program');
  expect(engines).toBeGreaterThan(4);
  expect(evaluator.compiled).toBeGreaterThanOrEqual(10_000);
});
