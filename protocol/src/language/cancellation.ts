/** Whether a caller still waits for the answer. An AbortSignal is one. */
export interface Cancellation {
  readonly aborted: boolean;
}

/** A query whose answer is no longer wanted. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('the query was cancelled');
  }
}

/** Throws Cancelled when the answer is not wanted any more. */
export function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted) throw new Cancelled();
}
