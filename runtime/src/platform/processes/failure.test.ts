import { expect, test } from 'vitest';
import { startFailure } from './failure.ts';

test.each([
  ['EMFILE', 'connector_busy', true],
  ['EAGAIN', 'connector_busy', true],
  ['ENOMEM', 'connector_busy', true],
  ['ENOENT', 'connector_refused', true],
  ['EACCES', 'connector_refused', true],
  ['E2BIG', 'value_refused', false],
])('R-79: %s at the start of a program is %s', (code, expected, retriable) => {
  const failure = startFailure('/bin/a', Object.assign(new Error(`spawn ${code}`), { code }));
  expect([failure.code, failure.retriable]).toEqual([expected, retriable]);
});
