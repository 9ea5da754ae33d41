import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { SagaState } from '../program.ts';

/** Milliseconds after each attempt to save a new instance; its caller waits. */
const pauses = [100, 400, 0];

/** Tries to keep a new instance. Rejects with `store_unavailable` when it cannot be kept. */
export async function keepNew(
  { saga }: SagaState,
  clock: Clock,
  keep: (isAgain: boolean) => Promise<void>,
): Promise<void> {
  let reason: unknown;
  for (const [tried, pause] of pauses.entries()) {
    try {
      return await keep(tried > 0);
    } catch (error) {
      reason = error;
      if (!(error instanceof Failure) || !error.retriable) break;
      if (pause > 0) await clock.sleep(pause);
    }
  }
  const text = `saga "${saga}" cannot begin, as its state cannot be saved`;
  throw new Failure('store_unavailable', text, { cause: reason });
}
