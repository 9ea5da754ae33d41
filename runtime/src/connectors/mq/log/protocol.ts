import type { FetchedRecord, RequestDefinition } from './library.ts';

type RequestName = 'Fetch' | 'Produce' | 'JoinGroup' | 'SyncGroup' | 'Heartbeat' | 'LeaveGroup';

/** Reads the types of the protocol, one after another. */
export interface Decoder {
  readInt8(): number;
  readInt16(): number;
  readInt32(): number;
  readInt64(): { toString(): string };
  readString(): string;
  readBytes(length: number): Buffer;
  readArray<T>(read: (decoder: Decoder) => T): T[];
  readArrayAsync<T>(read: (decoder: Decoder) => Promise<T>): Promise<T[]>;
}

/** What the library does not declare of itself: requests one by one, and what is in their answers. */
export interface Protocol {
  /** The versions of each request, and its number. */
  readonly definitions: Readonly<Record<RequestName, RequestDefinition>>;
  readonly keys: Readonly<Record<RequestName, number>>;
  readonly Decoder: new (bytes: Buffer) => Decoder;
  /** The records of one batch. */
  readonly readBatch: (decoder: Decoder) => Promise<{ readonly records: readonly FetchedRecord[] }>;
  /** The messages that brokers before 0.11 kept. */
  readonly readMessageSet: (decoder: Decoder, size: number) => Promise<readonly FetchedRecord[]>;
  /** The error of a number in an answer. */
  readonly errorOf: (code: number) => Error;
}

export async function loadProtocol(): Promise<Protocol> {
  // @ts-expect-error The library does not declare its inner modules; nor those below.
  const { default: requests } = await import('kafkajs/src/protocol/requests/index.js');
  // @ts-expect-error
  const { default: keys } = await import('kafkajs/src/protocol/requests/apiKeys.js');
  // @ts-expect-error
  const { default: decoder } = await import('kafkajs/src/protocol/decoder.js');
  // @ts-expect-error
  const { default: readBatch } = await import('kafkajs/src/protocol/recordBatch/v0/decoder.js');
  // @ts-expect-error
  const { default: readMessageSet } = await import('kafkajs/src/protocol/messageSet/decoder.js');
  // @ts-expect-error
  const { default: errors } = await import('kafkajs/src/protocol/error.js');
  return {
    definitions: requests.requests,
    keys,
    Decoder: decoder,
    readBatch,
    readMessageSet,
    errorOf: errors.createErrorFromCode,
  };
}
