import { afterEach, expect } from 'vitest';
import type { Failure } from '../../../foundation/errors/failure.ts';

export const never = new AbortController().signal;

/** What tells a caller that the peer is at fault, and that trying again may help. */
export const typed = [
  'connector_timeout',
  'connector_busy',
  'connector_refused',
  'store_unavailable',
  'outcome_unknown',
  'provider_unavailable',
];

export async function failureOf(work: Promise<unknown>): Promise<Failure> {
  return work.then(
    (value) => expect.fail(`it did not fail, and answered ${String(value)}`),
    (error: Failure) => error,
  );
}

/**
 * What the tests of the suite that calls this have to close: called after each of them, the last one first. A list for each
 * suite, since suites of a file run beside each other.
 */
export function closedAfterEach(): (close: () => unknown) => void {
  const closes: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).reverse()) await close();
  });
  return (close) => {
    closes.push(close);
  };
}
