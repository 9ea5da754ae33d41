import type { FailureCode } from '../../foundation/errors/failures.ts';

/** What a thread answers to a message: a value, or why it has no value to give. */
export type ThreadAnswer =
  | { readonly value: unknown }
  | { readonly code: FailureCode; readonly text: string; readonly retriable: boolean };
