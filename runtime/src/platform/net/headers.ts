import { Failure } from '../../foundation/errors/failure.ts';

/** Field names that describe the connection or the framing: only the HTTP implementation may set them. */
const framing = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const notAToken = /[^!#$%&'*+\-.^_`|~0-9A-Za-z]/;
const notSendable = /[^\t\x20-\x7e\x80-\xff]/;

/** Why a header field cannot be sent, or undefined when it can (RFC 9110, 5.1 and 5.5). The value is never repeated. */
export function headerProblem(name: string, value: string): string | undefined {
  if (name === '' || notAToken.test(name)) return `${JSON.stringify(name)} is not the name of a header`;
  if (notSendable.test(value)) {
    return `header "${name}" holds a line break, a control character or a character outside Latin-1`;
  }
  return undefined;
}

/** Whether messages must not set this header, because it decides where a request goes or where it ends. */
export function isFraming(name: string): boolean {
  return framing.has(name.toLowerCase());
}

/** Throws `value_refused` unless a header whose value came with a message may be sent as it is. */
export function checkDataHeader(name: string, value: string): void {
  const problem = headerProblem(name, value);
  if (problem !== undefined) throw new Failure('value_refused', problem);
  if (isFraming(name)) throw new Failure('value_refused', `header "${name}" cannot be set by a message`);
}
