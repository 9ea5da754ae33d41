import { Failure } from '../../../../foundation/errors/failure.ts';

export function cancelled(): Failure {
  return new Failure('cancelled', 'the message was cancelled before the broker answered');
}

/** The work, unless the signal fires before: then it rejects with `cancelled`. */
export async function unlessFired<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const cancel = () => reject(cancelled());
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}
