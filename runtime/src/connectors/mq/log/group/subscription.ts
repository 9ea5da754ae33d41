import type { Assignment } from './assignment.ts';

/** What a member says of itself when it joins a group. */
export interface Subscription {
  readonly topics: readonly string[];
  /** What it reads, and continues to read until it is assigned something else. */
  readonly owned: Assignment;
  /** The generation in which it was given that; below 0: none. */
  readonly generation: number;
}

/** The version of the format that says what a member owns (KIP-429). */
const version = 1;

/**
 * As members of Kafka groups write it: topics, what the assigner keeps for itself, which is the generation here, and what
 * is owned. Readers of version 0 pass over the end.
 */
export function writeSubscription({ topics, owned, generation }: Subscription): Buffer {
  const partitions = Object.entries(owned).filter(([, numbers]) => numbers.length > 0);
  return Buffer.concat([
    int16(version),
    int32(topics.length),
    ...topics.map(text),
    int32(4),
    int32(generation),
    int32(partitions.length),
    ...partitions.flatMap(([topic, numbers]) => [text(topic), int32(numbers.length), ...numbers.map(int32)]),
  ]);
}

/** Of any version; what cannot be read subscribes to nothing, so that one member does not stop the others. */
export function readSubscription(bytes: Buffer): Subscription {
  const reader = new Reader(bytes);
  try {
    const written = reader.int16();
    const topics = reader.list(() => reader.text());
    const kept = reader.bytes();
    const owned = written < 1 ? [] : reader.list(() => [reader.text(), reader.list(() => reader.int32())] as const);
    const inKept = kept.length === 4 ? kept.readInt32BE() : -1;
    return { topics, owned: Object.fromEntries(owned), generation: written < 2 ? inKept : reader.int32() };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return { topics: [], owned: {}, generation: -1 };
  }
}

/** Reads numbers of Kafka's protocol; what is not there is a `RangeError`. */
class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  int16(): number {
    this.#at += 2;
    return this.#bytes.readInt16BE(this.#at - 2);
  }

  int32(): number {
    this.#at += 4;
    return this.#bytes.readInt32BE(this.#at - 4);
  }

  text(): string {
    return this.#take(this.int16()).toString();
  }

  bytes(): Buffer {
    return this.#take(Math.max(0, this.int32()));
  }

  list<T>(read: () => T): readonly T[] {
    const count = this.int32();
    if (count > this.#bytes.length) throw new RangeError('a list is longer than what holds it');
    const items: T[] = [];
    for (let at = 0; at < count; at++) items.push(read());
    return items;
  }

  #take(length: number): Buffer {
    if (length < 0 || this.#at + length > this.#bytes.length) throw new RangeError('bytes are missing');
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}
