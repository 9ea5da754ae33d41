import { compareIds } from './event-id.ts';
import type { Posted } from './push.ts';

/** What one entry costs beside its text. */
const overhead = 512;
/** How many entries are dropped at the front before the list is made shorter. */
const mostHoles = 1024;

/** How much is kept; sizes in bytes, times in milliseconds. */
export interface HistoryLimits {
  readonly events: number;
  readonly size: number;
  readonly age: number;
}

/** What was sent last, for clients that were away for a moment. */
export class History {
  readonly isShared: boolean;
  readonly #limits: HistoryLimits;
  readonly #now: () => number;
  #entries: (Posted | undefined)[] = [];
  /** Index of the oldest entry. */
  #first = 0;
  #bytes = 0;
  #since: string;
  #last: string;

  /** `since`: nothing that was sent after it is missing. `now`: milliseconds since 1970. `isShared`: other processes add to it. */
  constructor(limits: HistoryLimits, since: string, now: () => number, isShared: boolean) {
    this.#limits = limits;
    this.isShared = isShared;
    this.#now = now;
    this.#since = since;
    this.#last = since;
  }

  /** Everything after this one is here. */
  get since(): string {
    return this.#since;
  }

  /** Whether it is after the newest. */
  isAfter(id: string): boolean {
    return compareIds(id, this.#last) > 0;
  }

  get size(): number {
    return this.#entries.length - this.#first;
  }

  add(posted: Posted): void {
    this.#last = posted.id;
    this.#entries.push(posted);
    this.#bytes += sizeOf(posted);
    const { events, size } = this.#limits;
    while (this.size > events || this.#bytes > size) this.#drop();
    this.expire();
  }

  /** Drops what is too old. */
  expire(): void {
    const oldest = this.#now() - this.#limits.age;
    while (this.size > 0 && timeOf(this.#entries[this.#first] as Posted) < oldest) this.#drop();
  }

  /** Something is missing before the newest that is here. */
  lost(until: string): void {
    if (compareIds(until, this.#since) > 0) this.#since = until;
  }

  /** Whether everything that was sent after it is here. */
  reachesBackTo(id: string): boolean {
    return compareIds(id, this.#since) >= 0;
  }

  /** The oldest that was sent after it; undefined when there are no more. */
  after(id: string): Posted | undefined {
    let low = this.#first;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compareIds((this.#entries[middle] as Posted).id, id) > 0) high = middle;
      else low = middle + 1;
    }
    return this.#entries[low];
  }

  #drop(): void {
    const dropped = this.#entries[this.#first] as Posted;
    this.#entries[this.#first++] = undefined;
    this.#bytes -= sizeOf(dropped);
    this.#since = dropped.id;
    if (this.#first < mostHoles && this.size > 0) return;
    this.#entries = this.#entries.slice(this.#first);
    this.#first = 0;
  }
}

const timeOf = ({ id }: Posted): number => Number(id.slice(0, id.indexOf('-')));

function sizeOf({ push }: Posted): number {
  return 2 * push.text.length + overhead;
}
