import { Failure } from '../../errors/failure.ts';

/** Answers of a server that is there and cannot serve: to the caller the store is away. */
const unable =
  /^(LOADING|READONLY|OOM|MISCONF|BUSY|MASTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|CLUSTERDOWN|TRYAGAIN)\b/;

/** What the client says of a command that it kept to itself, in words about its own settings. */
const unsent = /^(Stream isn't writeable|Connection is closed)/;

/** What went wrong with the server: `store_unavailable`, unless it refused the command for what it holds. */
export function storeFailure(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  const refused = error instanceof Error && error.name === 'ReplyError' && !unable.test(message);
  if (refused) return new Failure('connector_failed', message, { cause: error });
  const why = unsent.test(message) ? 'there is no connection to its server' : message;
  return new Failure('store_unavailable', `the store cannot be reached: ${why}`, { cause: error });
}
