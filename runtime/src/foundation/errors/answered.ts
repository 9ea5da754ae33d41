import { STATUS_CODES } from 'node:http';
import type { Failed } from '../contracts/outcome.ts';
import { Failure } from './failure.ts';

/** Characters of a text that travels beside the answer it is taken from. */
const longestText = 2000;
/** Where authors say in words what went wrong, the first that is there. */
const texts = ['error', 'message', 'msg', 'detail', 'reason'] as const;

/**
 * The failure that a flow answered with, for protocols that have failures: its text and its code are those of the answer, and the
 * answer goes where the protocol has details. Its message is the author's, so that production shows it too.
 */
export function failureOf(failed: Failed): Failure {
  return new Failure('flow_failed', textOf(failed), { answered: failed });
}

/** The code for programs of a failure: that of its answer, else its own. */
export function codeOf({ code, answered }: Failure): string {
  if (answered === undefined) return code;
  const written = fieldsOf(answered.value)?.['code'];
  return isText(written) ? written.slice(0, longestText) : (answered.code ?? code);
}

function textOf({ value, status }: Failed): string {
  if (isText(value)) return value.slice(0, longestText);
  const fields = fieldsOf(value);
  for (const name of texts) {
    const written = fields?.[name];
    const text = isText(written) ? written : fieldsOf(written)?.['message'];
    if (isText(text)) return text.slice(0, longestText);
  }
  return STATUS_CODES[status >= 400 ? status : 500] ?? `status ${status}`;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return value as Readonly<Record<string, unknown>>;
}
