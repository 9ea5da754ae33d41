import { randomUUID } from 'node:crypto';
import type { Message } from 'kafkajs';
import type { CallRequest } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { idHeader } from '../headers.ts';
import { ownKey, writeKey } from '../keys/codec.ts';
import type { KeyFormat } from '../keys/formats.ts';
import { partitionIn } from './parameters.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What `params` of a request say of its message. */
export function paramsOf({ params }: CallRequest): Fields {
  return (Array.isArray(params) ? {} : (params ?? {})) as Fields;
}

/**
 * The message of a request with this value; `params` say the key, the partition and headers. Without a key it has a new UUID
 * for one, which is its id too, where keys may be that. `key` says what keys are, or is one that has been written already.
 * Throws a Failure for what cannot be sent.
 */
export function messageOf(
  request: CallRequest,
  value: string | Uint8Array | null,
  key: KeyFormat | Buffer | null,
): Message {
  const { traceparent, tracestate } = request;
  const params = paramsOf(request);
  const id = randomUUID();
  const trace = { ...(traceparent && { traceparent }), ...(tracestate && { tracestate }) };
  const { partition } = params;
  return {
    key: typeof key === 'string' ? ('key' in params ? writeKey(params['key'], key) : ownKey(id, key)) : key,
    value: value instanceof Uint8Array ? Buffer.from(value) : value,
    headers: { [idHeader]: id, ...trace, ...headersOf(params['headers']) },
    ...(partition !== undefined && partition !== null && { partition: checkedPartition(partition) }),
  };
}

/** Most bytes that the protocol adds to a message, to one of its headers, and to those that go together. */
const around = { message: 40, header: 10, batch: 73 } as const;

/** Bytes of a message that goes alone, with most of what the protocol adds. */
export function sizeOf({ key, value, headers = {} }: Message): number {
  let bytes = around.batch + around.message + lengthOf(key ?? '') + lengthOf(value ?? '');
  for (const [name, written] of Object.entries(headers))
    for (const text of [written ?? ''].flat()) bytes += around.header + lengthOf(name) + lengthOf(text);
  return bytes;
}

/** Throws where a message is larger than `most`. */
export function checkSize(topic: string, message: Message, most: number): void {
  const bytes = sizeOf(message);
  if (bytes <= most) return;
  throw new Failure(
    'body_too_large',
    `the message has ${bytes} bytes, more than ${most}: raise max_message_size of the producer block, and where topic "${topic}" takes fewer its max.message.bytes, or message.max.bytes of its brokers`,
    { retriable: false },
  );
}

const lengthOf = (content: string | Uint8Array) =>
  typeof content === 'string' ? Buffer.byteLength(content) : content.length;

function checkedPartition(written: unknown): number {
  const partition = partitionIn(written);
  if (partition !== undefined) return partition;
  throw new Failure('value_refused', 'params.partition of a message must be a whole number from 0 on');
}

/** Headers are texts; null sends none. */
function headersOf(headers: unknown): Record<string, string | Buffer> {
  if (headers === undefined || headers === null) return {};
  if (typeof headers !== 'object' || Array.isArray(headers))
    throw new Failure('value_refused', 'params.headers of a message must be an object');
  const texts: Record<string, string | Buffer> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== null && value !== undefined)
      texts[name] =
        value instanceof Uint8Array
          ? Buffer.from(value)
          : typeof value === 'object'
            ? JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? Number(inner) : inner))
            : String(value);
  return texts;
}
