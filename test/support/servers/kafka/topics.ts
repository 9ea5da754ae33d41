import { setTimeout as sleep } from 'node:timers/promises';
import { controlBatch } from './control-batch.ts';
import { PartitionTransactions } from './partition-transactions.ts';
import { type ProducedBatch, Producers } from './producers.ts';

/** Where the fields of a record batch begin (magic 2). */
const at = {
  length: 8,
  magic: 16,
  attributes: 21,
  lastOffsetDelta: 23,
  maxTimestamp: 35,
  producerId: 43,
  producerEpoch: 51,
  firstSequence: 53,
  count: 57,
} as const;
const header = 12;
const transactional = 0x10;
/** Milliseconds in which brokers hear of a new topic, and those in which its leaders begin. */
const election = 15;

interface StoredBatch {
  readonly first: bigint;
  readonly last: bigint;
  readonly maxTimestamp: bigint;
  readonly bytes: Buffer;
}

/** One partition: record batches as producers sent them, whatever they are compressed with. */
export class Partition {
  leader: number;
  #batches: StoredBatch[] = [];
  #start = 0n;
  #end = 0n;
  readonly transactions = new PartitionTransactions();
  readonly #producers = new Producers();

  constructor(leader: number) {
    this.leader = leader;
  }

  get start(): bigint {
    return this.#start;
  }

  /** The offset that the next record gets. */
  get end(): bigint {
    return this.#end;
  }

  /** Compression of each batch: the lowest three bits of its attributes. */
  get compressions(): readonly number[] {
    return this.#batches.map(({ bytes }) => bytes.readInt16BE(at.attributes) & 7);
  }

  /** Records of each batch. */
  get sizes(): readonly number[] {
    return this.#batches.map(({ bytes }) => bytes.readInt32BE(at.count));
  }

  /**
   * Adds the batches of a request; gives the offset of the first record. A batch that a producer with an id has sent before
   * is where it was.
   */
  append(records: Buffer): bigint {
    const first = this.#producers.check(batchIn(records), this.#end);
    if (first !== this.#end) return first;
    if ((records.readInt16BE(at.attributes) & transactional) !== 0)
      this.transactions.sent(records.readBigInt64BE(at.producerId), first);
    return this.#keep(records);
  }

  /** A producer has ended its transaction. */
  endTransaction(producer: bigint, epoch: number, isCommitted: boolean): void {
    this.transactions.ended(producer, this.#keep(controlBatch(producer, epoch, isCommitted)), isCommitted);
  }

  #keep(records: Buffer): bigint {
    const first = this.#end;
    for (let from = 0; from < records.length; ) {
      const length = header + records.readInt32BE(from + at.length);
      const bytes = Buffer.from(records.subarray(from, from + length));
      if (bytes.readInt8(at.magic) !== 2) throw new RangeError('only record batches are kept');
      const begins = this.#end;
      const ends = begins + BigInt(bytes.readInt32BE(at.lastOffsetDelta));
      bytes.writeBigInt64BE(begins, 0);
      this.#batches.push({ first: begins, last: ends, maxTimestamp: bytes.readBigInt64BE(at.maxTimestamp), bytes });
      this.#end = ends + 1n;
      from += length;
    }
    return first;
  }

  /** Whole batches from the one with this offset on: one at least, then at most so many bytes, and none from `end` on. */
  read(offset: bigint, most: number, end: bigint): Buffer {
    const pieces: Buffer[] = [];
    let length = 0;
    for (const { first, last, bytes } of this.#batches) {
      if (last < offset) continue;
      if (first >= end) break;
      if (pieces.length > 0 && length + bytes.length > most) break;
      pieces.push(bytes);
      length += bytes.length;
    }
    return Buffer.concat(pieces);
  }

  /** The first batch with a record of this time or later, Unix milliseconds; -1 without one. */
  since(time: bigint): bigint {
    return this.#batches.find(({ maxTimestamp }) => maxTimestamp >= time)?.first ?? -1n;
  }

  /** Forgets what is before this offset, as retention does. */
  trim(offset: bigint): void {
    this.#start = offset;
    this.#batches = this.#batches.filter(({ last }) => last >= offset);
  }
}

/** What the first batch of a request says of its producer. */
function batchIn(records: Buffer): ProducedBatch {
  return {
    producer: records.readBigInt64BE(at.producerId),
    epoch: records.readInt16BE(at.producerEpoch),
    first: records.readInt32BE(at.firstSequence),
    count: records.readInt32BE(at.count),
  };
}

/** Topics by name. */
export class Topics {
  /** Whether a topic that a client asks for is created. */
  createsAsked = true;
  /** Topics that take no message: each is too large for them. */
  readonly closed = new Set<string>();
  /** Topics that would keep the last message of each key alone. */
  readonly compacted = new Set<string>();
  readonly #standard: number;
  readonly #leader: (partition: number) => number;
  readonly #topics = new Map<string, Partition[]>();
  /** Topics that were asked for and cannot be used yet. */
  readonly #forming = new Map<string, Promise<void>>();

  /** `standard` is how many partitions a topic has that was not declared. */
  constructor(standard: number, leader: (partition: number) => number) {
    this.#standard = standard;
    this.#leader = leader;
  }

  get names(): readonly string[] {
    return [...this.#topics.keys()].filter((name) => !this.#forming.has(name));
  }

  /** Creates a topic that a client asks for; resolves when it can be used. */
  form(name: string, partitions?: number): Promise<void> {
    const forming = this.#forming.get(name) ?? this.#form(name, partitions);
    this.#forming.set(name, forming);
    return forming;
  }

  /** At first no broker knows the topic; then none shows it, and those that lead it refuse what they are asked. */
  async #form(name: string, asked: number | undefined): Promise<void> {
    await sleep(election, undefined, { ref: false });
    const made = this.create(name, asked);
    for (const partition of made) partition.leader = -1;
    await sleep(election, undefined, { ref: false });
    for (const [number, partition] of made.entries()) partition.leader = this.#leader(number);
    this.#forming.delete(name);
  }

  create(name: string, partitions = this.#standard): Partition[] {
    const made = Array.from({ length: partitions }, (_, number) => new Partition(this.#leader(number)));
    this.#topics.set(name, made);
    return made;
  }

  /** Adds partitions to a topic. */
  grow(name: string, partitions: number): void {
    const existing = this.find(name) ?? [];
    for (let number = existing.length; number < partitions; number++)
      existing.push(new Partition(this.#leader(number)));
  }

  /** Its partitions, as soon as it can be used. */
  find(name: string): Partition[] | undefined {
    return this.#forming.has(name) ? undefined : this.#topics.get(name);
  }

  partition(name: string, number: number): Partition | undefined {
    return this.#topics.get(name)?.[number];
  }

  delete(name: string): void {
    this.#topics.delete(name);
  }
}
