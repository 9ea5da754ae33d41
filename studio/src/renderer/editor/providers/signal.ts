import type { monaco } from '../../project/monaco.ts';

/** A signal that fires when the editor no longer wants the answer. */
export function signalOf(token: monaco.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
