import type { SourceCounts } from '../../foundation/contracts/observer.ts';
import type { InFlight } from './in-flight.ts';
import { WaitingList } from './waiting-list.ts';

/** Messages that were delivered and not begun, and the orders of which one is being handled or pauses. */
export class WaitingMessages {
  readonly #list = new WaitingList<InFlight>();
  readonly #busyOrders = new Set<string>();
  readonly #counts: SourceCounts;
  #isBeginning = false;

  constructor(counts: SourceCounts) {
    this.#counts = counts;
  }

  get length(): number {
    return this.#list.length;
  }

  get all(): readonly InFlight[] {
    return this.#list.all;
  }

  add(inFlight: InFlight): void {
    this.#list.push(inFlight);
    this.#counts.waiting(1);
  }

  /** It is the next of its order that is begun. */
  addFirst(inFlight: InFlight): void {
    this.#list.insert(0, inFlight);
    this.#counts.waiting(1);
  }

  keep(kept: readonly InFlight[]): void {
    this.#counts.waiting(kept.length - this.#list.length);
    this.#list.replace(kept);
  }

  /** Whether no message of its order is being handled or pauses. */
  isFree({ delivery: { order } }: InFlight): boolean {
    return order === undefined || !this.#busyOrders.has(order);
  }

  occupy({ delivery: { order } }: InFlight): void {
    if (order !== undefined) this.#busyOrders.add(order);
  }

  /** The next message of the same order may begin. */
  free({ delivery: { order } }: InFlight): void {
    if (order !== undefined) this.#busyOrders.delete(order);
  }

  /**
   * Begins what is free while there is a worker. A message that ends at once (`handle` gives no promise) calls this again: the
   * loop that began it continues.
   */
  begin(hasWorker: () => boolean, handle: (inFlight: InFlight) => Promise<void> | undefined): void {
    if (this.#isBeginning) return;
    this.#isBeginning = true;
    try {
      for (let at = 0; at < this.#list.length && hasWorker(); ) {
        const inFlight = this.#list.at(at) as InFlight;
        if (!this.isFree(inFlight)) {
          at++;
          continue;
        }
        this.#list.remove(at);
        this.#counts.waiting(-1);
        // What waited for the order of one that has ended comes first.
        if (handle(inFlight) === undefined) at = 0;
      }
    } finally {
      this.#isBeginning = false;
    }
  }
}
