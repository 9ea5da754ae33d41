import type { FetchedPartition, FetchedRecord } from './library.ts';

/** The records of a fetch that are messages, and the offset behind all of them; undefined when there was none. */
export interface Readable {
  readonly messages: readonly FetchedRecord[];
  readonly next: bigint | undefined;
}

/** What the record that ends an aborted transaction has as its key: two versions of 0. */
const abortKey = Buffer.from([0, 0, 0, 0]);

/**
 * Batches come whole, so that records before the offset that was asked for come too; ends of transactions, and what aborted
 * ones wrote, are left out.
 */
export function readable({ messages, abortedTransactions, next }: FetchedPartition, from: bigint): Readable {
  const last = messages.at(-1);
  if (last === undefined) return { messages: [], next };
  const waiting = [...(abortedTransactions ?? [])].sort((a, b) =>
    Number(BigInt(a.firstOffset) - BigInt(b.firstOffset)),
  );
  const aborted = new Set<string>();
  const kept = messages.filter((record) => {
    const offset = BigInt(record.offset);
    while (waiting[0] !== undefined && offset >= BigInt(waiting[0].firstOffset))
      aborted.add((waiting.shift() as { readonly producerId: string }).producerId);
    const producer = record.batchContext?.producerId ?? '';
    if (record.isControlRecord === true) {
      if (record.key?.equals(abortKey)) aborted.delete(producer);
      return false;
    }
    return offset >= from && !(record.batchContext?.inTransaction && aborted.has(producer));
  });
  return { messages: kept, next: next ?? BigInt(last.offset) + 1n };
}
