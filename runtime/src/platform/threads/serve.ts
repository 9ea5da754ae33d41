import { parentPort, type Transferable } from 'node:worker_threads';
import { Failure } from '../../foundation/errors/failure.ts';
import type { ThreadAnswer } from './answer.ts';

/** What a thread answers, and memory of it that is handed over instead of copied. */
export interface Served {
  readonly value: unknown;
  readonly transfer?: readonly Transferable[];
}

/**
 * The work of a thread of a `WorkerPool`: one answer for each message. What is thrown becomes the Failure that the pool rejects
 * with; `otherwise` says which one that is for what is not a Failure.
 */
export function serveThread<Message>(
  answer: (message: Message) => Served | Promise<Served>,
  otherwise: (error: unknown) => Failure,
): void {
  const port = parentPort as NonNullable<typeof parentPort>;
  port.on('message', async (message: Message) => {
    try {
      const { value, transfer = [] } = await answer(message);
      port.postMessage({ value } satisfies ThreadAnswer, transfer);
    } catch (error) {
      const { code, message: text, retriable } = error instanceof Failure ? error : otherwise(error);
      port.postMessage({ code, text, retriable } satisfies ThreadAnswer);
    }
  });
}
