import { Failure } from '../../../foundation/errors/failure.ts';

/** Answers of a server that is there and cannot serve: to the caller the store is unavailable. */
const unable =
  /^(LOADING|READONLY|OOM|MISCONF|BUSY|MASTERDOWN|NOREPLICAS|NOAUTH|WRONGPASS|NOPERM|CLUSTERDOWN|TRYAGAIN)\b/;

/** Messages of the client about a command that it did not send, which name its own settings. */
const unsent = /^(Stream isn't writeable|Connection is closed|Cluster (isn't ready|is ended)|None of startup nodes)/;

/** What the client says of a command that each node of a cluster refused and sent elsewhere. */
const redirected = /^Too many Cluster redirections/;

/**
 * Whether a command has certainly not been carried out: the client had no connection for it, or every server that was
 * asked refused it. Any other failure leaves that open, since the command was sent and not answered.
 */
export function wasNotDone({ cause }: Failure): boolean {
  if (!(cause instanceof Error)) return false;
  return cause.name === 'ReplyError' || unsent.test(cause.message) || redirected.test(cause.message);
}

/** What went wrong with the server: `store_unavailable`, unless it refused the command for what it holds. */
export function storeFailure(error: unknown): Failure {
  const cause = (error as { readonly lastNodeError?: unknown } | undefined)?.lastNodeError;
  // A cluster of which no node answered says why the last one did not.
  if (cause instanceof Error) return storeFailure(cause);
  const message = error instanceof Error ? error.message : String(error);
  const refused = error instanceof Error && error.name === 'ReplyError' && !unable.test(message);
  if (refused) return new Failure('connector_failed', message, { cause: error });
  const why = unsent.test(message) ? 'there is no connection to its server' : message;
  return new Failure('store_unavailable', `the store cannot be reached: ${why}`, { cause: error });
}
