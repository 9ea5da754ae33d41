import type { Driver, Settlement } from './driver.ts';
import type { IntakeOptions } from './intake.ts';

/** Keys without a flow that are logged and counted under their own name. */
const mostKeys = 1_000;

/** Refuses messages that no flow takes. That is no failure: each is counted, and the first of each key is logged. */
export class Undispatched {
  readonly #driver: Driver;
  readonly #options: IntakeOptions;
  readonly #known = new Set<string>();

  constructor(driver: Driver, options: IntakeOptions) {
    this.#driver = driver;
    this.#options = options;
  }

  refuse(key: string): Settlement {
    const { type, name } = this.#driver;
    const { connector, services } = this.#options;
    if (!this.#known.has(key) && this.#known.size < mostKeys) {
      this.#known.add(key);
      services.log.error('messages are dropped: no flow takes their key', { source: name, key });
    }
    services.undispatched?.(connector, type, name, this.#known.has(key) ? key : 'other');
    return { kind: 'reject', reason: 'no flow takes its key' };
  }
}
