import type { MsgHdrs } from '@nats-io/transport-node';
import { Fields } from '@svc/protocol/cel';
import { type Honoured, restored, setAside } from '../../../intake/broker/honoured.ts';

/** Streams act on headers of these names, and later servers on more of them. */
const honoured: Honoured = { headers: /^nats-/i };

/** By which a stream recognises a message that is published again. */
export const idHeader = 'Nats-Msg-Id';

/** Headers as flows see them: a header that was sent several times is a list, and those of copies have their first names. */
export function fieldsOf(headers: MsgHdrs | undefined): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, values] of headers ?? []) fields[name] = values.length === 1 ? values[0] : [...values];
  return restored(fields, honoured).headers;
}

/** Headers of a copy of a message: none of the first message is one that a server acts on. */
export function copiedHeaders(fields: Readonly<Record<string, unknown>>, make: () => MsgHdrs): MsgHdrs {
  const written = make();
  for (const [name, value] of Object.entries(setAside(fields, honoured).headers))
    for (const each of Array.isArray(value) ? value : [value]) written.append(name, String(each));
  return written;
}

/** Why a name or a value of a header cannot be sent, or undefined. */
export function checkHeader(name: string, value: string): string | undefined {
  if (!/^[!-9;-~]+$/.test(name)) return `"${name}" is not the name of a header`;
  return /[\r\n\0]/.test(value) ? `the header "${name}" has more than one line` : undefined;
}
