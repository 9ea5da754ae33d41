import { WireError, wireError } from './errors.ts';

export type MessageId = string | number | null;

/** One text of the other end, understood (JSON-RPC 2.0, sections 4 and 5). */
export type Incoming =
  | { readonly kind: 'request'; readonly id: MessageId | undefined; readonly method: string; readonly params: unknown }
  | { readonly kind: 'result'; readonly id: MessageId; readonly result: unknown }
  | { readonly kind: 'error'; readonly id: MessageId; readonly error: WireError }
  | { readonly kind: 'wrong'; readonly id: MessageId; readonly error: WireError };

/** Reads one text; what is not a message becomes `wrong` with the error to answer. Never throws. */
export function readMessage(text: string): Incoming {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return { kind: 'wrong', id: null, error: wireError('parseError', 'the text is not JSON') };
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return {
      kind: 'wrong',
      id: null,
      error: wireError('invalidRequest', 'a message is one object; there are no batches'),
    };
  const { jsonrpc, id, method, params, result, error } = message as Record<string, unknown>;
  const known = isId(id) ? id : null;
  const wrong = (why: string): Incoming => ({ kind: 'wrong', id: known, error: wireError('invalidRequest', why) });
  if (jsonrpc !== '2.0') return wrong('jsonrpc must be "2.0"');
  if (id !== undefined && !isId(id)) return wrong('id must be a text, a number or null');
  if (typeof method === 'string') return { kind: 'request', id, method, params };
  if (method !== undefined || id === undefined) return wrong('method must be a text');
  if (error !== undefined) return { kind: 'error', id: known, error: errorFrom(error) };
  return result === undefined ? wrong('method must be a text') : { kind: 'result', id: known, result };
}

function isId(id: unknown): id is MessageId {
  return typeof id === 'string' || typeof id === 'number' || id === null;
}

function errorFrom(error: unknown): WireError {
  const { code, message } = (typeof error === 'object' ? (error ?? {}) : {}) as Record<string, unknown>;
  return new WireError(typeof code === 'number' ? code : 0, typeof message === 'string' ? message : 'no reason given');
}

export function encodeRequest(id: number, method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

export function encodeNotification(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params });
}

export function encodeResult(id: MessageId, result: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id, result });
}

export function encodeError(id: MessageId, { code, message }: WireError): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } });
}
