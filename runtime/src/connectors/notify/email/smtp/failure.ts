import { Failure } from '../../../../foundation/errors/failure.ts';
import { answeredInClear, isAnsweredInClear } from '../../../../platform/net/spoken/form.ts';

/** What the library throws. */
interface SmtpError extends Error {
  readonly code?: string;
  readonly response?: string;
  readonly responseCode?: number;
  readonly command?: string;
}

/** Characters of an answer that are shown. */
const longestShown = 2_000;

/**
 * What became of a question to a server. What the library threw is not kept: it repeats what the server said. An answer of 5xx is permanent, one of 4xx is not. `isBegun`: the text of a
 * message was being sent, so that without an answer what became of it is not known.
 */
export function smtpFailure(error: unknown, secrets: readonly string[], isBegun: boolean): Failure {
  if (error instanceof Failure) return isBegun && error.code !== 'cancelled' ? unknown(error.message) : error;
  const { code, command, response, responseCode, message } = error as SmtpError;
  if (code === 'ETLS' || (command === 'EHLO' && code === 'ECONNECTION'))
    return new Failure('connector_refused', `the connection is not encrypted: ${shown(message, secrets)}`, {
      // A server that knows no TLS knows it with no other try either.
      ...(responseCode !== undefined && responseCode >= 500 && { retriable: false }),
    });
  if (responseCode !== undefined && /^[45]\d\d$/.test(String(responseCode)))
    return answered(error as SmtpError, secrets);
  const said = isAnsweredInClear(error) ? answeredInClear : shown(message, secrets);
  if (isBegun) return unknown(said);
  if (code === 'ETIMEDOUT') return new Failure('connector_timeout', `the server did not answer: ${said}`);
  if (code === 'EMESSAGE' && response === undefined) return new Failure('value_refused', said);
  return new Failure('connector_refused', said);
}

/** What a server said of one recipient. */
export function refusalOf(error: Error | undefined, secrets: readonly string[]): string {
  return shown((error as SmtpError | undefined)?.response ?? error?.message ?? 'the server refused it', secrets);
}

/** An answer, cut, in one line and without secrets. */
export function shown(text: string, secrets: readonly string[]): string {
  let plain = text;
  for (const secret of secrets) plain = plain.replaceAll(secret, '***');
  return plain.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').slice(0, longestShown);
}

function answered({ responseCode = 0, response = '', command = '' }: SmtpError, secrets: readonly string[]): Failure {
  const body = shown(response, secrets);
  const asked = /^[A-Z -]{1,20}$/.test(command) ? `${command}: ` : '';
  // Codes of SMTP are read the other way round than those of HTTP: 4xx is the one that may pass.
  return new Failure('upstream_error', `the server refused it: ${asked}${body}`, {
    upstream: { status: responseCode, body },
    retriable: responseCode < 500,
  });
}

function unknown(message: string): Failure {
  return new Failure('outcome_unknown', `${message}; whether the message was sent is not known`);
}
