import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { checkDataHeader } from '../headers.ts';

/** The headers that all requests of one call share. */
export interface FixedHeaders {
  /** Names and values in turn. */
  readonly flat: readonly string[];
  /** Names in lower case. */
  readonly names: ReadonlySet<string>;
}

/** The headers of one request, except an access token. */
export interface SentHeaders {
  readonly flat: readonly string[];
  /** Whether an Idempotency-Key is among them, so that the peer does a repeated request once. */
  readonly keyed: boolean;
  /** Whether the request brings its own Authorization. */
  readonly authorized: boolean;
}

export function fixedHeaders(byName: ReadonlyMap<string, string>): FixedHeaders {
  return { flat: [...byName].flat(), names: new Set(byName.keys()) };
}

/**
 * Adds what a message brings: its trace, then its own headers, which win over every other of the same name. Throws
 * `value_refused` for a header that a message may not set.
 */
export function sentHeaders(
  fixed: FixedHeaders,
  { traceparent, tracestate }: CallRequest,
  headers: CallRequest['headers'],
): SentHeaders {
  const { names } = fixed;
  if (headers === undefined && traceparent === undefined) {
    return { flat: fixed.flat, keyed: names.has('idempotency-key'), authorized: names.has('authorization') };
  }
  const added = new Map<string, string>();
  if (traceparent !== undefined) {
    added.set('traceparent', traceparent);
    if (tracestate !== undefined) added.set('tracestate', tracestate);
  }
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || value === null) continue;
    checkDataHeader(name, String(value));
    added.set(name.toLowerCase(), String(value));
  }
  const flat: string[] = [];
  for (let at = 0; at < fixed.flat.length; at += 2) {
    const name = fixed.flat[at] as string;
    if (!added.has(name)) flat.push(name, fixed.flat[at + 1] as string);
  }
  for (const [name, value] of added) flat.push(name, value);
  const has = (name: string) => names.has(name) || added.has(name);
  return { flat, keyed: has('idempotency-key'), authorized: has('authorization') };
}
