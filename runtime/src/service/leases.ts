import type { Connector } from '../connectors/contract.ts';
import type { Log } from '../observe/log.ts';

/** Counts which generations hold a connector, and closes it when the last one gives it back. */
export class Leases {
  readonly #holders = new Map<Connector, number>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  hold(connector: Connector): void {
    this.#holders.set(connector, (this.#holders.get(connector) ?? 0) + 1);
  }

  /** Never rejects: a connector that cannot be closed is logged and forgotten. */
  async giveBack(connector: Connector): Promise<void> {
    const holders = (this.#holders.get(connector) ?? 0) - 1;
    if (holders > 0) return void this.#holders.set(connector, holders);
    this.#holders.delete(connector);
    try {
      await connector.close();
    } catch (error) {
      this.#log.warn('connector did not close cleanly', { connector: connector.name, error });
    }
  }
}
