import { Failure } from '../../../foundation/errors/failure.ts';
import { decodeBody } from '../../../platform/formats/decode.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { prefixed } from '../frames.ts';
import {
  answerData,
  type Envelopes,
  failureData,
  mapOf,
  secondsOf,
  type TcpReply,
  type TcpRequest,
} from './envelope.ts';

/** `{"type", "id", "data", "error", "timestamp"}` with a length before it. */
export function jsonEnvelopes(json: Codec): Envelopes {
  const encode = (value: unknown) => json.encode(value);
  const decode = <T>(message: Buffer, read: (decoded: unknown) => T): T | Promise<T> => {
    const decoded = decodeBody(json, message);
    return decoded instanceof Promise ? decoded.then(read) : read(decoded);
  };
  const requestOf = (decoded: unknown): TcpRequest => {
    const { type, id, data = null } = mapOf(decoded) ?? {};
    if (typeof type !== 'string' || type === '')
      throw new Failure('body_undecodable', 'a message is an object with a `type`');
    const own = idOf(id);
    return {
      type,
      data,
      isEvent: false,
      answer: (value, now) => encode({ type: 'response', ...own, data: answerData(value), timestamp: secondsOf(now) }),
      refuse: (failure, now) => {
        const { text: error, code } = failure;
        const data = failureData(failure);
        return encode({
          type: 'error',
          ...own,
          error,
          ...(code !== undefined && { code }),
          ...(data !== undefined && { data }),
          timestamp: secondsOf(now),
        });
      },
    };
  };
  return {
    framing: prefixed,
    answersAll: true,
    unknown: 'message type',
    readRequest: (message) => decode(message, requestOf),
    readReply: (message) => decode(message, replyOf),
    request: (type, data, id, now) =>
      encode({ type, ...(id !== undefined && { id }), data, timestamp: secondsOf(now) }),
  };
}

/** The id of an answer is that of its request, text or number. */
export function idOf(id: unknown): { readonly id?: string | number } {
  if (id === undefined || id === null || id === '') return {};
  if (typeof id === 'string' || typeof id === 'number') return { id };
  throw new Failure('body_undecodable', 'the `id` of a message is a text');
}

/** Reads the envelope of an answer, whatever its format decoded to. */
export function replyOf(decoded: unknown): TcpReply {
  const envelope = mapOf(decoded);
  if (envelope === undefined)
    throw new Failure('connector_failed', 'the server answered with something else than an envelope');
  const { type, id, data = null, error } = envelope;
  const isFailed = type === 'error' || (typeof error === 'string' && error !== '');
  return {
    id: id === undefined || id === null || id === '' ? undefined : String(id),
    error: isFailed ? (typeof error === 'string' ? error : 'no reason was given') : undefined,
    data,
  };
}
