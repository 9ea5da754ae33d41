import { Failure } from '../../foundation/errors/failure.ts';
import { withinTime } from './within-time.ts';

/** How long what was sent is waited for. */
export interface Waiting {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds; undefined: as long as the work takes. */
  readonly timeout?: number | undefined;
}

/**
 * What the work comes to. Rejects with `connector_timeout` when its time is over and with `cancelled` when the signal
 * fires: what was sent is not taken back, and its answer is not read.
 */
export async function answered<T>(work: Promise<T>, { signal, timeout }: Waiting): Promise<T> {
  const given = signal === undefined ? work : unlessAborted(signal, work);
  return timeout === undefined ? given : withinTime(timeout, () => given);
}

export function cancelled(): Failure {
  return new Failure('cancelled', 'the message was cancelled before it was answered');
}

async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = () => reject(cancelled());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
