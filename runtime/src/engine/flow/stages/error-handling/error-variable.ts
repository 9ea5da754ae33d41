import type { Failure } from '../../../../foundation/errors/failure.ts';

/** The variable `error`: what failed, as a number and a text, and the answer of a remote system. */
export function errorVariable(failure: Failure): Readonly<Record<string, unknown>> {
  const { message, kind, upstream, fields } = failure;
  const variable: Record<string, unknown> = Object.create(null);
  variable['message'] = message;
  variable['code'] = BigInt(upstream?.status ?? kind.code);
  variable['type'] = kind.type;
  if (upstream !== undefined) variable['body'] = bodyOf(upstream.body);
  if (fields !== undefined) variable['fields'] = fields;
  return variable;
}

function bodyOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
