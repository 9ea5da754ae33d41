import type { Transferable } from 'node:worker_threads';

/** A message to a thread, and memory of it that is handed over instead of copied. */
export interface Message {
  readonly content: unknown;
  readonly transfer?: readonly Transferable[];
}
