import { Failure } from '../../errors/failure.ts';

/** Reasons of an acknowledgement that another try may change: quota, server busy, unspecified (MQTT 5, 2.4). */
const passing = new Set([0x80, 0x83, 0x88, 0x89, 0x97]);

/** The failure of a message that the broker answered for with a reason (version 5), or that the library did not send. */
export function answeredWith(error: Error & { readonly code?: unknown }): Failure {
  const { code, message } = error;
  if (typeof code !== 'number') return new Failure('connector_refused', message, { cause: error });
  return new Failure('connector_failed', `the broker refused the message: ${message}`, {
    cause: error,
    retriable: passing.has(code),
  });
}

/** Another client has the id now (MQTT 5, 3.1.4). */
const takenOver = 0x8e;

/** Why a broker of version 5 ended a connection, as it says it. */
export function reasonOf(code: number | undefined, clientId: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return code === takenOver
    ? `another client has taken its place under the client_id "${clientId}": each needs one of its own`
    : `the broker ended the connection with reason ${code}`;
}
