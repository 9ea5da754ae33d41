import { expect, test } from 'vitest';
import { until } from './until.ts';

test('asks again until there is an answer, also after a failure', async () => {
  const answers = [undefined, false, 'error', null, 'found'];
  let asked = 0;
  const answer = await until(() => {
    const next = answers[asked++];
    if (next === 'error') throw new Error('not yet');
    return next;
  });
  expect({ answer, asked }).toEqual({ answer: 'found', asked: 5 });
});

test('gives up when it is aborted', async () => {
  await expect(until(() => false, AbortSignal.abort(new Error('enough')))).rejects.toThrow('enough');
});
