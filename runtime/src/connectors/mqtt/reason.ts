import { Failure } from '../../foundation/errors/failure.ts';

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

/** Why a broker ends a connection (MQTT 5, 3.14.2.1). */
const endings: Readonly<Record<number, string>> = {
  129: 'a packet that it cannot read',
  130: 'a packet that the protocol does not allow',
  131: 'what it does not take',
  135: 'this client is not authorized',
  137: 'it is busy',
  139: 'it is shutting down',
  141: 'it heard nothing in time (keep_alive)',
  143: 'a topic filter that it does not take',
  144: 'a topic that it does not take',
  147: 'more messages under way than its receive maximum',
  148: 'a topic alias that it does not take',
  149: 'a packet that is larger than its maximum packet size',
  150: 'more messages in a time than it takes',
  151: 'its quota is used up',
  152: 'an administrator ended it',
  153: 'a payload of another format than was said',
  154: 'it keeps no messages (retain)',
  155: 'a quality of service that it does not take',
  156: 'another server is to be used',
  157: 'the server has moved',
  158: 'it has no shared subscriptions (share_group)',
  159: 'connections come faster than it takes',
  160: 'the longest time of a connection is over',
  161: 'it has no subscription identifiers',
  162: 'it has no subscriptions with wildcards',
};

/** Another client has the id now (MQTT 5, 3.1.4). */
const takenOver = 0x8e;

/** Why a broker of version 5 ended a connection, as it says it. */
export function reasonOf(code: number | undefined, clientId: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  return code === takenOver
    ? `another client has taken its place under the client_id "${clientId}": each needs one of its own`
    : `the broker ended the connection with reason ${code}${code in endings ? `: ${endings[code]}` : ''}`;
}
