import type { MsgHdrs } from '@nats-io/transport-node';
import { Fields } from '@svc/protocol/cel';

/** Headers as flows see them: a header that was sent several times is a list. */
export function fieldsOf(headers: MsgHdrs | undefined): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, values] of headers ?? []) fields[name] = values.length === 1 ? values[0] : [...values];
  return fields;
}

/** Why a name or a value of a header cannot be sent, or undefined. */
export function checkHeader(name: string, value: string): string | undefined {
  if (!/^[!-9;-~]+$/.test(name)) return `"${name}" is not the name of a header`;
  return /[\r\n\0]/.test(value) ? `the header "${name}" has more than one line` : undefined;
}
