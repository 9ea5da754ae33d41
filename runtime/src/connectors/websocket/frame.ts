import { Failure } from '../../foundation/errors/failure.ts';
import type { Report } from '../../foundation/errors/report.ts';
import { decodeBody } from '../../platform/formats/decode.ts';
import type { Codec } from '../../platform/formats/registry.ts';
import { nameOf } from '../../platform/http/live/addressee.ts';
import type { Posted } from '../../platform/http/live/push.ts';
import { BinaryFrame, type SocketFrame } from '../../platform/http/websocket/link.ts';

/** What a client sends: `{type, data, room}`. */
export interface ClientFrame {
  readonly type: string;
  readonly data: unknown;
  /** Empty: none. */
  readonly room: string;
}

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

/** A frame that carries the answer of a flow. */
export function dataFrame(json: Codec, data: unknown): Buffer {
  return Buffer.from(json.encode({ type: 'message', data }));
}

/** A frame that carries what a flow sends; the same for all who get it. */
export function pushFrame({ push: { to, text, bytes } }: Posted): SocketFrame {
  if (bytes !== undefined) return new BinaryFrame(bytes);
  const room = to.kind === 'room' ? `,"room":${JSON.stringify(to.name)}` : '';
  return Buffer.from(`{"type":"message","data":${text}${room}}`);
}

/** A frame that tells a client what was wrong, its code for programs, and in `data` what the flow wrote about it. */
export function errorFrame({ text: message, code, fields, body: data, requestId }: Report): Buffer {
  const hidden = code === undefined ? { request_id: requestId } : undefined;
  return Buffer.from(JSON.stringify({ type: 'error', message, code, fields, data, ...hidden }));
}
