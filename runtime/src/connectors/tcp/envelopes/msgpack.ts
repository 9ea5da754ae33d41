import { toJson } from '@svc/protocol/cel';
import { Failure } from '../../../foundation/errors/failure.ts';
import { beyondBudget, messageBudget } from '../../../platform/formats/budget.ts';
import { prefixed } from '../frames.ts';
import { answerData, type Envelopes, failureData, mapOf, secondsOf, type TcpRequest } from './envelope.ts';
import { idOf, replyOf } from './json.ts';
import { measureMessagePack } from './msgpack-extent.ts';

type Library = typeof import('@msgpack/msgpack');

/**
 * The envelope of JSON in MessagePack. Peers that were written in Go name its fields by their Go names: both spellings are
 * read, and a request is answered in its own.
 */
export async function messagePackEnvelopes(): Promise<Envelopes> {
  const { encode, decode } = await import('@msgpack/msgpack');
  const write = (value: unknown) => encode(toJson(value), { useBigInt64: true, ignoreUndefined: true });
  const read = (message: Buffer) => decoded(decode, message);
  return {
    framing: prefixed,
    answersAll: true,
    unknown: 'message type',
    readRequest: (message) => requestOf(read(message), write),
    readReply: (message) => replyOf(lowerCased(read(message))),
    request: (type, data, id, now) => write({ type, ...(id !== undefined && { id }), data, timestamp: secondsOf(now) }),
  };
}

const fields = { Type: 'type', ID: 'id', Data: 'data', Error: 'error', Timestamp: 'timestamp' } as const;

function requestOf(value: unknown, write: (value: unknown) => Uint8Array): TcpRequest {
  const isGo = typeof mapOf(value)?.['Type'] === 'string';
  const { type, id, data = null } = mapOf(lowerCased(value)) ?? {};
  if (typeof type !== 'string' || type === '')
    throw new Failure('body_undecodable', 'a message is a map with a `type`');
  const own = idOf(id);
  const envelope = (parts: Readonly<Record<string, unknown>>) => {
    if (!isGo) return write({ ...parts, ...own });
    const all = { type: '', id: own.id ?? '', data: null, error: '', timestamp: 0, ...parts };
    return write(Object.fromEntries(Object.entries(fields).map(([go, name]) => [go, all[name]])));
  };
  return {
    type,
    data,
    isEvent: false,
    answer: (answer, now) => envelope({ type: 'response', data: answerData(answer), timestamp: secondsOf(now) }),
    refuse: (failure, now) => {
      const { text: error, code } = failure;
      const data = failureData(failure);
      return envelope({
        type: 'error',
        error,
        ...(code !== undefined && { code }),
        ...(data !== undefined && { data }),
        timestamp: secondsOf(now),
      });
    },
  };
}

/** An envelope with Go's names, by the names of JSON. */
function lowerCased(value: unknown): unknown {
  const envelope = mapOf(value);
  if (envelope === undefined || typeof envelope['Type'] !== 'string') return value;
  return Object.fromEntries(Object.entries(fields).map(([go, name]) => [name, envelope[go]]));
}

function decoded(decode: Library['decode'], message: Buffer): unknown {
  const { values, depth } = measureMessagePack(message);
  if (depth > messageBudget.depth) throw beyondBudget(messageBudget, 'depth');
  if (values > messageBudget.values) throw beyondBudget(messageBudget, 'values');
  try {
    return plain(decode(message, { useBigInt64: true }));
  } catch (error) {
    throw new Failure('body_undecodable', `the message is not MessagePack: ${textOf(error)}`, { cause: error });
  }
}

/** Maps without a prototype, integers that a double holds as numbers, timestamps as texts: as JSON would have them. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(plain);
  const map = mapOf(value);
  if (map === undefined) return value;
  // An extension of an application means nothing here.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new Error('it has an extension type that is not known');
  const own = Object.create(null) as Record<string, unknown>;
  for (const [name, item] of Object.entries(map)) own[name] = plain(item);
  return own;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
