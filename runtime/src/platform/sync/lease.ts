import type { Clock } from '../../foundation/observe/clock.ts';
import type { Eventually } from './store.ts';

/** Milliseconds between two extensions are at least this many, and at most this many while the store is unavailable. */
const shortest = 50;
const impatient = 500;

/** A resource that was taken for a limited time. Times are milliseconds. */
export interface LeaseTerms {
  readonly what: 'lock' | 'permit';
  readonly clock: Clock;
  /** How long it lasts after its last extension. */
  readonly life: number;
  /** When it was asked for: the store cannot have begun to count before. */
  readonly askedAt: number;
  /** Extends it; false when it is not held any more. */
  readonly extend: () => Eventually<boolean>;
  /** Called once, when it is known to be lost. */
  readonly lost: (reason: string) => void;
}

/**
 * Keeps what was taken for a time by extending it, and determines without a request when another owner may have it:
 * when the store said so, or when its time has passed since the last extension was asked for, whatever this process did
 * meanwhile.
 */
export class Lease {
  readonly #terms: LeaseTerms;
  #ends: number;
  #isLost = false;
  #beating: AbortController | undefined;

  constructor(terms: LeaseTerms) {
    this.#terms = terms;
    this.#ends = terms.askedAt + terms.life;
  }

  get what(): LeaseTerms['what'] {
    return this.#terms.what;
  }

  get isLost(): boolean {
    if (!this.#isLost && this.#terms.clock.elapsed() >= this.#ends) this.lose('it could not be extended in time');
    return this.#isLost;
  }

  /** Extends it again and again until it is ended or lost; a paused debugger does not hinder this. */
  keep(): void {
    this.#beating = new AbortController();
    void this.#beat(this.#beating.signal);
  }

  /** Extends it no more. */
  end(): void {
    this.#beating?.abort();
  }

  async #beat(signal: AbortSignal): Promise<void> {
    const { clock, life, extend } = this.#terms;
    const every = Math.max(shortest, life / 3);
    let wait = every;
    for (;;) {
      await clock.sleep(wait, signal).catch(() => undefined);
      if (signal.aborted || this.isLost) return;
      const askedAt = clock.elapsed();
      try {
        const held = await extend();
        if (signal.aborted) return;
        if (!held) return this.lose('another owner may have it');
        this.#ends = askedAt + life;
        wait = every;
      } catch {
        // No other owner can have it before its time is over.
        wait = Math.min(every, impatient);
      }
    }
  }

  /** Marks it as lost, when the loss is known from another source. */
  lose(reason: string): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#terms.lost(reason);
  }
}
