import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchedRecord } from '../library.ts';
import type { AssignedPartition } from './partition.ts';

/** Takes a message of the group. */
export type Take = (record: FetchedRecord, partition: AssignedPartition) => void;

/** A message, and where it is from. */
export interface Taken {
  readonly record: FetchedRecord;
  readonly partition: AssignedPartition;
}

/** Delivers what has come of partitions, each in its turn, at most a window of it, and knows what is under way. */
export class Deliveries {
  /** Called when a message was taken; `isAsked`: it was asked for alone. */
  readonly #taken: (taken: Taken, isAsked: boolean) => void;
  #partitions: readonly AssignedPartition[] = [];
  #to: { readonly take: Take; readonly window: number } | undefined;
  /** Partitions of the next delivery begin here, so that each has its turn. */
  #turn = 0;
  #underWay = 0;
  #isProceeding = false;
  #change = Promise.withResolvers<void>();

  constructor(taken: (taken: Taken, isAsked: boolean) => void) {
    this.#taken = taken;
  }

  /** Messages that were taken, and neither settled nor put back. */
  get underWay(): number {
    return this.#underWay;
  }

  /** From now on messages of these are delivered. */
  from(partitions: readonly AssignedPartition[]): void {
    this.#partitions = partitions;
  }

  /** From now on messages go here, at most `window` at a time; undefined: nowhere. */
  to(take: Take | undefined, window: number): void {
    this.#to = take && { take, window };
    this.proceed();
  }

  /** Delivers what can be delivered now. A message that ends at once makes room again: the loop that delivered it continues. */
  proceed(): void {
    if (this.#isProceeding) return;
    this.#isProceeding = true;
    try {
      while (this.#to !== undefined && this.#underWay < this.#to.window) {
        const { take } = this.#to;
        const taken = this.next(false);
        if (taken === undefined) return;
        take(taken.record, taken.partition);
      }
    } finally {
      this.#isProceeding = false;
    }
  }

  /** The next message that has come; undefined when nothing waits now. */
  next(isAsked = true): Taken | undefined {
    for (let tried = 0; tried < this.#partitions.length; tried++) {
      const partition = this.#partitions[this.#turn++ % this.#partitions.length] as AssignedPartition;
      const record = partition.take();
      if (record === undefined) continue;
      this.#underWay++;
      partition.underWay++;
      const taken = { record, partition };
      this.#taken(taken, isAsked);
      return taken;
    }
    return undefined;
  }

  /** A message of this partition is not under way any more. */
  ended(partition: AssignedPartition): void {
    this.#underWay--;
    partition.underWay--;
    if (partition.underWay === 0) {
      this.#change.resolve();
      this.#change = Promise.withResolvers<void>();
    }
    this.proceed();
  }

  /** Resolves when this is so, or after a while. It is looked at whenever the last message of a partition has ended. */
  async until(isSo: () => boolean, milliseconds: number, aborted: AbortSignal): Promise<void> {
    const over = new AbortController();
    let isLate = false;
    const late = sleep(milliseconds, undefined, { signal: AbortSignal.any([over.signal, aborted]) })
      .catch(() => undefined)
      .then(() => (isLate = true));
    while (!isLate && !isSo()) await Promise.race([this.#change.promise, late]);
    over.abort();
  }
}
