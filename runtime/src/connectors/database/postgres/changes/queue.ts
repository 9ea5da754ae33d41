import type { Settlement } from '../../../intake/driver.ts';
import type { Change } from './change.ts';

/** Rows that take a place among changes, and are read when it is their turn. */
export interface Rows {
  readonly sequence: number;
  /** At most so many more; none when there are no more. */
  next(most: number): Promise<readonly Change[]>;
  /** All of them are settled, or nothing is read any more. */
  end(isDone: boolean): void;
}

export interface QueueOptions {
  /** More waits than is delivered at a time; later: no more. */
  readonly full: (isFull: boolean) => void;
  /** Rows cannot be read. */
  readonly failed: (error: unknown) => void;
}

type Deliver = (change: Change) => void;

/** Changes that are read and not settled: delivered in their order, as many as the window allows. */
export class ChangeQueue {
  readonly #options: QueueOptions;
  /** Read and not delivered, in their order. */
  readonly #ready: (Change | Rows)[] = [];
  #deliver: Deliver | undefined;
  #window = 0;
  #held = 0;
  /** A change that is handled alone is held. */
  #isAlone = false;
  /** Of the rows that come next. */
  #rows: 'new' | 'begun' | 'reading' | 'read' = 'new';
  #isFull = false;
  #isEnded = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  add(item: Change | Rows): void {
    this.#ready.push(item);
  }

  begin(window: number, deliver: Deliver): void {
    this.#window = window;
    this.#deliver = deliver;
    this.pump();
  }

  /** Delivers nothing for now; what goes back waits here. */
  pause(): void {
    this.#deliver = undefined;
    this.pump();
  }

  end(): void {
    this.#isEnded = true;
    this.#deliver = undefined;
    for (const item of this.#ready.splice(0)) if (isRows(item)) item.end(false);
  }

  /** Delivers what there is room for. */
  pump(): void {
    while (this.#deliver !== undefined) {
      const [next] = this.#ready;
      if (next === undefined || this.#held >= this.#window || this.#isAlone) break;
      if (isRows(next)) {
        void this.#read(next).catch(this.#options.failed);
        break;
      }
      if (next.place.isAlone && this.#held > 0) break;
      this.#ready.shift();
      this.#held++;
      this.#isAlone = next.place.isAlone;
      this.#deliver(next);
    }
    const isFull = this.#ready.length > 0 && (this.#deliver === undefined || this.#ready.length >= this.#window);
    if (isFull === this.#isFull || this.#isEnded) return;
    this.#isFull = isFull;
    this.#options.full(isFull);
  }

  /** A delivered change is settled, or goes back to its place. */
  settled(change: Change, { kind }: Settlement): void {
    this.#held--;
    if (change.place.isAlone) this.#isAlone = false;
    if (kind === 'requeue') {
      const { sequence } = change.place;
      const behind = this.#ready.findIndex((item) => sequenceOf(item) > sequence);
      this.#ready.splice(behind < 0 ? this.#ready.length : behind, 0, change);
    }
    // The intake, which settles it, may be about to end the subscription.
    setImmediate(() => this.pump());
  }

  /** Rows begin and end alone: changes around them may be of the same rows. */
  async #read(rows: Rows): Promise<void> {
    const isWaiting = this.#held > 0 && (this.#rows === 'new' || this.#rows === 'read');
    if (isWaiting || this.#rows === 'reading') return;
    if (this.#rows === 'read') {
      this.#rows = 'new';
      this.#ready.shift();
      rows.end(true);
    } else {
      this.#rows = 'reading';
      const found = await rows.next(this.#window - this.#held);
      if (this.#isEnded) return;
      this.#rows = found.length > 0 ? 'begun' : 'read';
      this.#ready.unshift(...found);
    }
    this.pump();
  }
}

function isRows(item: Change | Rows): item is Rows {
  return 'next' in item;
}

function sequenceOf(item: Change | Rows): number {
  return isRows(item) ? item.sequence : item.place.sequence;
}
