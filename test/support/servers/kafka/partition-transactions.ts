import { errors, ProtocolError } from './errors.ts';

/** A transaction whose messages are passed over, in one partition. */
export interface Aborted {
  readonly producer: bigint;
  /** The offset of its first message. */
  readonly first: bigint;
}

/** The transactions of one partition. */
export class PartitionTransactions {
  /** Producers that said that they would send, and the offset of their first message once there is one. */
  readonly #open = new Map<bigint, bigint | undefined>();
  readonly #aborted: (Aborted & { readonly end: bigint })[] = [];

  open(producer: bigint): void {
    if (!this.#open.has(producer)) this.#open.set(producer, undefined);
  }

  /** A message of a transaction is kept at an offset. Throws where its producer did not say that it would send. */
  sent(producer: bigint, offset: bigint): void {
    if (!this.#open.has(producer)) throw new ProtocolError(errors.invalidTransactionState);
    this.#open.set(producer, this.#open.get(producer) ?? offset);
  }

  /** `end` is the offset of the record that says so. */
  ended(producer: bigint, end: bigint, isCommitted: boolean): void {
    const first = this.#open.get(producer);
    this.#open.delete(producer);
    if (!isCommitted && first !== undefined) this.#aborted.push({ producer, first, end });
  }

  /** The offset up to which every transaction has ended. */
  stable(end: bigint): bigint {
    const firsts = [...this.#open.values()].filter((first) => first !== undefined);
    return firsts.reduce((least, first) => (first < least ? first : least), end);
  }

  /** Those that matter from an offset on. */
  abortedFrom(offset: bigint): readonly Aborted[] {
    return this.#aborted.filter(({ end }) => end >= offset);
  }
}
