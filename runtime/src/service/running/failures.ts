import { Failure } from '../../foundation/errors/failure.ts';
import type { Log } from '../../foundation/observe/log.ts';

/**
 * What happens when no code handles an error: it is logged with its origin, and the process stops in order and ends
 * with status 1, so that its supervisor starts a new one. It never continues in an undefined state. Returns a function
 * that removes the handlers.
 */
export function stopOnStrayErrors(log: Log, stop: () => void): () => void {
  const handle = (kind: string) => (error: unknown) => {
    const at = error instanceof Failure ? error.at : {};
    log.error(`${kind}, the service stops`, {
      ...at,
      error,
      stack: error instanceof Error ? error.stack : undefined,
    });
    stop();
  };
  const exception = handle('an error was not caught');
  const rejection = handle('a rejected promise was not handled');
  process.on('uncaughtException', exception);
  process.on('unhandledRejection', rejection);
  return () => {
    process.off('uncaughtException', exception);
    process.off('unhandledRejection', rejection);
  };
}
