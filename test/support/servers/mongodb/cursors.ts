import { Long } from 'mongodb';
import { CommandError } from './command-error.ts';
import type { Fields } from './wire.ts';

/** Gives the next documents of a cursor. */
export interface Batches {
  readonly namespace: string;
  next(size: number, waits: number, signal: AbortSignal): Promise<Fields[]> | Fields[];
  /** Whether more may come. */
  hasMore(): boolean;
  /** What is reported beside a batch. */
  readonly more?: () => Fields;
}

const standardBatch = 101;

/** Open cursors by their number. */
export class Cursors {
  readonly #open = new Map<number, Batches>();
  #last = 0;

  async first(batches: Batches, size: number | undefined, signal: AbortSignal): Promise<Fields> {
    const firstBatch = await batches.next(size ?? standardBatch, 0, signal);
    const id = batches.hasMore() ? ++this.#last : 0;
    if (id !== 0) this.#open.set(id, batches);
    return { cursor: { id: Long.fromNumber(id), ns: batches.namespace, firstBatch, ...batches.more?.() } };
  }

  /** `waits`: milliseconds for a change to come. */
  async next(id: number, size: number | undefined, waits: number | undefined, signal: AbortSignal): Promise<Fields> {
    const batches = this.#open.get(id);
    if (batches === undefined) throw new CommandError(43, 'CursorNotFound', `cursor id ${id} not found`);
    const nextBatch = await batches.next(size ?? Number.POSITIVE_INFINITY, waits ?? 1_000, signal);
    const isOpen = batches.hasMore();
    if (!isOpen) this.#open.delete(id);
    const left = Long.fromNumber(isOpen ? id : 0);
    return { cursor: { id: left, ns: batches.namespace, nextBatch, ...batches.more?.() } };
  }

  end(ids: readonly number[]): void {
    for (const id of ids) this.#open.delete(id);
  }

  /** Cursors that were not ended. */
  get size(): number {
    return this.#open.size;
  }
}

/** A cursor over documents that are known. */
export function listed(namespace: string, documents: readonly Fields[]): Batches {
  const left = [...documents];
  return {
    namespace,
    next: (size) => left.splice(0, size),
    hasMore: () => left.length > 0,
  };
}
