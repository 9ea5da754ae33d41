import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * The failure of a server that cannot have its address. `title` names who listens, `host` is empty for every interface;
 * `connector` is the one whose block says the address.
 */
export function cannotListen(
  title: string,
  connector: string,
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
): Failure {
  const where = host === '' ? `port ${port}` : `port ${port} of ${host}`;
  const why = reasons[cause.code ?? ''] ?? cause.message;
  const at = { connector };
  return new Failure('connector_refused', `${title} cannot listen on ${where}: ${why}`, {
    cause,
    at,
    retriable: false,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
};
