import { errors, ProtocolError } from './errors.ts';

/** A batch with the id of its producer (below 0: it has none), and the number of its first record. */
export interface ProducedBatch {
  readonly producer: bigint;
  readonly epoch: number;
  readonly first: number;
  readonly count: number;
}

interface Kept extends ProducedBatch {
  readonly offset: bigint;
}

/** How many batches of a producer a partition remembers. */
const remembered = 5;
const largest = 2 ** 31;

/** The producers that a partition knows. */
export class Producers {
  readonly #kept = new Map<bigint, readonly Kept[]>();

  /** The offset of a batch: `end`, or where it is already. Throws where records before it are missing. */
  check(batch: ProducedBatch, end: bigint): bigint {
    if (batch.producer < 0n) return end;
    const kept = this.#kept.get(batch.producer) ?? [];
    const last = kept.at(-1);
    if (last !== undefined && batch.epoch < last.epoch) throw new ProtocolError(errors.invalidProducerEpoch);
    const isSame = ({ epoch, first, count }: Kept) =>
      epoch === batch.epoch && first === batch.first && count === batch.count;
    const there = kept.find(isSame);
    if (there !== undefined) return there.offset;
    const isNewer = last === undefined || batch.epoch > last.epoch;
    const expected = isNewer ? batch.first : (last.first + last.count) % largest;
    if (batch.first !== expected || (last !== undefined && isNewer && batch.first !== 0))
      throw new ProtocolError(errors.outOfOrderSequence);
    this.#kept.set(batch.producer, [...kept, { ...batch, offset: end }].slice(-remembered));
    return end;
  }
}
