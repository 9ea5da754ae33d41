import type { SourceCounts } from '../../../foundation/contracts/observer.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Driver, Settlement } from '../driver.ts';

/** Keys without a flow that are logged and counted under their own name. */
const mostKeys = 1_000;

/** Refuses messages that no flow takes. That is not a failure: each is counted, and the first of each key is logged. */
export class Undispatched {
  readonly #driver: Driver;
  readonly #log: Log;
  readonly #counts: SourceCounts;
  readonly #known = new Set<string>();

  constructor(driver: Driver, log: Log, counts: SourceCounts) {
    this.#driver = driver;
    this.#log = log;
    this.#counts = counts;
  }

  refuse(key: string): Settlement {
    const { name, isSelective } = this.#driver;
    const refused: Settlement = { kind: 'reject', reason: 'no flow takes its key' };
    if (isSelective === true) return refused;
    if (!this.#known.has(key) && this.#known.size < mostKeys) {
      this.#known.add(key);
      this.#log.error('messages are dropped: no flow takes their key', { source: name, key });
    }
    this.#counts.undispatched(name, this.#known.has(key) ? key : 'other');
    return refused;
  }
}
