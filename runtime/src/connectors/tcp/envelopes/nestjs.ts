import { Failure } from '../../../foundation/errors/failure.ts';
import type { Report } from '../../../foundation/errors/report.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { counted } from '../frames.ts';
import { patternName, patternOf } from '../patterns.ts';
import { type Envelopes, failureData, mapOf, type TcpReply, type TcpRequest } from './envelope.ts';

/**
 * The messages of NestJS's TCP transport: `{"pattern", "data", "id"}`, answered by `{"response", "isDisposed", "id"}` or
 * `{"err", "isDisposed", "id"}`. A message without `id` is an event, which is not answered.
 */
export function nestEnvelopes(json: Codec): Envelopes {
  const encode = (value: unknown) => asciiOf(String(json.encode(value)));
  const decode = <T>(message: Buffer, read: (decoded: unknown) => T): T | Promise<T> => {
    const decoded = decodeBody(json, message);
    return decoded instanceof Promise ? decoded.then(read) : read(decoded);
  };
  const requestOf = (decoded: unknown): TcpRequest => {
    const { pattern, data = null, id } = mapOf(decoded) ?? {};
    const isEvent = id === undefined || id === null || id === '';
    if (!isEvent && typeof id !== 'string') throw new Failure('body_undecodable', 'the `id` of a message is a text');
    const ends = { isDisposed: true, id };
    return {
      type: typeOf(pattern),
      data,
      isEvent,
      answer: (value) => encode({ ...ends, response: value ?? null }),
      refuse: (failure) => encode({ ...ends, err: errOf(failure) }),
    };
  };
  return {
    framing: counted,
    answersAll: false,
    readRequest: (message) => decode(message, requestOf),
    readReply: (message) => decode(message, replyOf),
    request: (type, data, id) => encode({ pattern: patternOf(type), data, ...(id !== undefined && { id }) }),
    unknown: 'message pattern',
  };
}

function typeOf(pattern: unknown): string {
  const name = patternName(pattern);
  if (name === undefined) throw new Failure('body_undecodable', 'the `pattern` of a message is a text or an object');
  return name;
}

/** A text, as long as nothing else is to be said. */
function errOf(failure: Report): unknown {
  const { text: message, code } = failure;
  const details = failureData(failure);
  if (code === undefined) return { message, ...(details as object) };
  return details === undefined ? message : { message, code, details };
}

function replyOf(decoded: unknown): TcpReply {
  const { id, err, response = null } = mapOf(decoded) ?? {};
  if (typeof id !== 'string') throw new Failure('connector_failed', 'the server answered without an `id`');
  const error = err === undefined || err === null ? undefined : reasonOf(err);
  return { id, error, data: mapOf(response) ?? (response === null ? null : { result: response }) };
}

function reasonOf(err: unknown): string {
  if (typeof err === 'string') return err;
  const message = mapOf(err)?.['message'];
  return typeof message === 'string' ? message : JSON.stringify(err);
}

/** The same JSON in ASCII, of which bytes, code units and characters are as many. */
function asciiOf(text: string): string {
  return text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
