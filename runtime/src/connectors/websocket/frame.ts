import { Fields } from '@svc/protocol/cel';
import { disclosed } from '../../errors/disclose.ts';
import { Failure } from '../../errors/failure.ts';
import { decodeBody } from '../../formats/decode.ts';
import type { Codec } from '../../formats/registry.ts';

/** What a client sends: `{type, data, room}`. */
export interface ClientFrame {
  readonly type: string;
  readonly data: unknown;
  /** Empty: none. */
  readonly room: string;
}

/** Characters of the name of a type or of a room. */
export const longestName = 256;

const malformed = () => new Failure('body_undecodable', 'invalid message format');

/** Reads a frame. Throws or rejects with a Failure whose message is meant for the client. */
export function readFrame(json: Codec, bytes: Buffer): ClientFrame | Promise<ClientFrame> {
  let decoded: unknown;
  try {
    decoded = decodeBody(json, bytes);
  } catch (error) {
    throw inWords(error);
  }
  if (!(decoded instanceof Promise)) return frameOf(decoded);
  return decoded.then(frameOf, (error: unknown) => {
    throw inWords(error);
  });
}

function inWords(error: unknown): unknown {
  return error instanceof Failure && error.code === 'body_undecodable' ? malformed() : error;
}

function frameOf(decoded: unknown): ClientFrame {
  if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) throw malformed();
  const { type, data, room } = decoded as Readonly<Record<string, unknown>>;
  if (typeof type !== 'string' || type === '') throw malformed();
  return { type, data: data ?? null, room: nameOf(room) };
}

/** The name of a room or user: a text, or a number as it is written; empty for anything else. */
export function nameOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

/** A frame that carries data to clients. */
export function dataFrame(json: Codec, data: unknown, room?: string): Buffer {
  return Buffer.from(json.encode({ type: 'message', data, ...(room !== undefined && { room }) }));
}

/** A frame that tells a client what was wrong, and its code for programs: in production only what the client caused. */
export function errorFrame(failure: Failure, production: boolean): Buffer {
  const message = disclosed(failure, production);
  const shown = message === undefined ? { message: 'Internal Server Error' } : { message, code: failure.code };
  return Buffer.from(JSON.stringify({ type: 'error', ...shown }));
}

/** The fields of an object; of anything else, itself as `data`. */
export function fieldsOf(data: unknown): Record<string, unknown> {
  const fields = new Fields() as Record<string, unknown>;
  if (typeof data === 'object' && data !== null && !Array.isArray(data) && !(data instanceof Uint8Array))
    return Object.assign(fields, data);
  fields['data'] = data;
  return fields;
}
