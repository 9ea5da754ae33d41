import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { anonymous } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { decodeBody } from '../../platform/formats/decode.ts';
import { type Codec, codecOf, isFormat } from '../../platform/formats/registry.ts';
import { textOf } from '../../platform/formats/text.ts';
import type { MessageContent } from './driver.ts';

/**
 * What a flow gets of bytes without a description: decoded by the codec of `from.format` when there is one, else JSON, else
 * the text, else bytes where they are not UTF-8. Without a promise where a body is small. Throws or rejects with
 * `body_undecodable` for what the codec refuses, with `body_too_large` for what decodes to too much.
 */
export function bodyOf(content: Buffer, codec: Codec | undefined): unknown | Promise<unknown> {
  if (codec !== undefined) return decodeBody(codec, content);
  if (!isUtf8(content)) return new Uint8Array(content);
  const json = codecOf('json');
  if (json instanceof Promise) return json.then((loaded) => jsonOrText(loaded, content));
  return jsonOrText(json, content);
}

function jsonOrText(json: Codec, content: Buffer): unknown | Promise<unknown> {
  const text = (error: unknown) => {
    if (error instanceof Failure && error.code === 'body_undecodable') return textOf(content);
    throw error;
  };
  try {
    const body = decodeBody(json, content);
    return body instanceof Promise ? body.catch(text) : body;
  } catch (error) {
    return text(error);
  }
}

/** The codec of a format that a flow names; undefined where it names none. */
export async function codecNamed(format: string | undefined): Promise<Codec | undefined> {
  return format !== undefined && isFormat(format) ? codecOf(format) : undefined;
}

/**
 * Adds a decoded body to the variables of a flow: the fields of an object by their names, anything else as `name`. There it
 * is the text that it was sent as, where no codec was asked for and it is text. Without a promise where a body is small.
 */
export function addBody(
  input: Record<string, unknown>,
  name: string,
  content: Buffer,
  codec: Codec | undefined,
): Promise<void> | undefined {
  const body = bodyOf(content, codec);
  if (body instanceof Promise) return body.then((ready) => addDecoded(input, name, content, ready, codec));
  addDecoded(input, name, content, body, codec);
  return undefined;
}

function addDecoded(
  input: Record<string, unknown>,
  name: string,
  content: Buffer,
  body: unknown,
  codec: Codec | undefined,
): void {
  const isBytes = body instanceof Uint8Array;
  if (typeof body === 'object' && body !== null && !Array.isArray(body) && !isBytes) Object.assign(input, body);
  else input[name] = codec === undefined && !isBytes ? textOf(content) : body;
}

/** A message of a sender that is not authenticated, with the trace that its headers continue. */
export function contentOf(
  input: Record<string, unknown>,
  { traceparent, tracestate }: { readonly traceparent?: unknown; readonly tracestate?: unknown } = {},
): MessageContent {
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const trace = { traceparent: text(traceparent), tracestate: text(tracestate) };
  return { input, auth: anonymous, addressed: [], ...trace };
}

/** The same for each delivery of one message: its id, else a digest of where it was sent to and of its bytes. */
export function identityOf(id: string | undefined, place: readonly string[], content: Uint8Array): string {
  if (id !== undefined) return `id ${id}`;
  const hash = createHash('sha1');
  for (const part of place) hash.update(`${part}\n`);
  return hash.update(content).digest('base64');
}
