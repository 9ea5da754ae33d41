import { Failure } from '../errors/failure.ts';
import type { Log } from '../observe/log.ts';

/**
 * What happens when an error reaches nobody: it is logged with where it came from, and the process stops in order
 * and ends with status 1, so that whoever supervises it starts a fresh one. It never goes on half-dead. Returns a function
 * that takes the handlers away.
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
  const rejection = handle('a promise was rejected and nobody asked');
  process.on('uncaughtException', exception);
  process.on('unhandledRejection', rejection);
  return () => {
    process.off('uncaughtException', exception);
    process.off('unhandledRejection', rejection);
  };
}
