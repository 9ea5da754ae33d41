import type { SourceCounts } from '../../../foundation/contracts/observer.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Driver } from '../driver.ts';

/** Counts the messages that are dropped, and reports the first one. */
export class Drops {
  readonly #driver: Pick<Driver, 'name' | 'window'>;
  readonly #log: Log;
  readonly #counts: SourceCounts;
  #isReported = false;

  constructor(driver: Pick<Driver, 'name' | 'window'>, log: Log, counts: SourceCounts) {
    this.#driver = driver;
    this.#log = log;
    this.#counts = counts;
  }

  count(reason: Parameters<SourceCounts['dropped']>[0]): void {
    this.#counts.dropped(reason);
    if (this.#isReported) return;
    this.#isReported = true;
    const { name: source, window } = this.#driver;
    this.#log.warn('messages are dropped: as many wait as the window holds', { source, window, reason });
  }
}
