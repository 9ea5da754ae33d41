import type { StoredMsg } from '@nats-io/jetstream';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import { Fields } from '@svc/protocol/cel';
import { textOf } from '../../../platform/net/connection.ts';
import { type Honoured, restored, setAside } from '../../intake/broker/honoured.ts';
import { checkHeader } from './publish/outgoing-headers.ts';

/** Streams act on headers of these names, and later servers on more of them. */
const honoured: Honoured = { headers: /^nats-/i };

/** Keeps the headers of a copy whose names cannot be sent, as JSON. */
const unsentHeader = 'x-svc-unsent-headers';

/** Headers as flows see them: a header that was sent several times is a list, and those of copies have their first names. */
export function fieldsOf(headers: Iterable<readonly [string, readonly string[]]> | undefined): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  for (const [name, values] of headers ?? []) fields[name] = values.length === 1 ? values[0] : [...values];
  return restored(fields, honoured).headers;
}

/** The headers of a message as flows see them, and why the client library does not read them, where that is so. */
export interface ReadHeaders {
  readonly fields: Record<string, unknown>;
  readonly problem: string | undefined;
}

/** A server takes names of headers that the client library refuses: then each line is read as it is. */
export function readHeaders(message: Msg | StoredMsg): ReadHeaders {
  try {
    return { fields: fieldsOf('header' in message ? message.header : message.headers), problem: undefined };
  } catch (error) {
    return { fields: fieldsOf(linesOf(bytesOf(message))), problem: `its headers cannot be read: ${textOf(error)}` };
  }
}

/** What a server says in the first line of headers instead of sending a message; 0 where it sends one. */
export function statusOf(message: Msg): { readonly code: number; readonly description: string } {
  try {
    return { code: message.headers?.code ?? 0, description: message.headers?.description ?? '' };
  } catch {
    return { code: 0, description: '' };
  }
}

/** What the library keeps of the bytes of headers. */
interface Kept {
  readonly _rdata?: Uint8Array;
  readonly _msg?: { readonly hdr: number };
  readonly smr?: { readonly message: { readonly hdrs?: string } };
}

function bytesOf(message: Msg | StoredMsg): Buffer {
  const { _rdata, _msg, smr } = message as unknown as Kept;
  if (smr !== undefined) return Buffer.from(smr.message.hdrs ?? '', 'base64');
  return Buffer.from(_rdata?.subarray(0, Math.max(0, _msg?.hdr ?? 0)) ?? []);
}

function linesOf(bytes: Buffer): Map<string, string[]> {
  const lines = new Map<string, string[]>();
  for (const line of bytes.toString().split('\r\n').slice(1)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon);
    lines.set(name, [...(lines.get(name) ?? []), line.slice(colon + 1).trim()]);
  }
  return lines;
}

/** Headers of a copy of a message: none of the first message is one that a server acts on. */
export function copiedHeaders(fields: Readonly<Record<string, unknown>>, make: () => MsgHdrs): MsgHdrs {
  const written = make();
  const unsent: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(setAside(fields, honoured).headers))
    for (const each of Array.isArray(value) ? value : [value])
      if (checkHeader(name, String(each)) === undefined) written.append(name, String(each));
      else unsent[name] = value;
  if (Object.keys(unsent).length > 0) written.set(unsentHeader, JSON.stringify(unsent));
  return written;
}
