import type { Log } from '../../../foundation/observe/log.ts';
import type { Driver } from '../driver.ts';

/** What is said while nothing is taken, since the next messages would fail as well. */
const pausing = 'deliveries pause: one message after another fails';
/** And while failed messages have all slots. */
const filled = 'as many messages fail as may be held: others wait until one succeeds';

/** Tries that failed since a message was last over, and what is said of them. */
export class FailureStreak {
  readonly #driver: Driver;
  readonly #log: Log;
  #count = 0;
  #isReported = false;

  constructor(driver: Driver, log: Log) {
    this.#driver = driver;
    this.#log = log;
  }

  /** Whether as many failed as the window holds. */
  get isLong(): boolean {
    return this.#count >= this.#driver.window;
  }

  failed(): void {
    this.#count++;
  }

  ended(): void {
    this.#count = 0;
    this.#isReported = false;
  }

  /** Why nothing is taken; `held` messages have slots, and the peer sends no more than there are slots. */
  reason(held: number, isResting: boolean): string | undefined {
    if (isResting) return pausing;
    return this.isLong && held >= this.#driver.window ? filled : undefined;
  }

  /** A message keeps its slot: reports once that those that failed have all of them. */
  keptSlot(held: number): void {
    const reason = this.reason(held, false);
    if (reason === undefined || this.#isReported) return;
    this.#isReported = true;
    this.#log.warn(pausing, { source: this.#driver.name, reason });
  }

  rests(milliseconds: number): void {
    this.#log.warn(pausing, { source: this.#driver.name, pause: `${milliseconds}ms` });
  }
}
