import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { withinTime } from '../../../platform/net/within-time.ts';

/** Counts which generations hold a connector, and closes it when the last one releases it. */
export class Leases {
  readonly #holders = new Map<Connector, number>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  hold(connector: Connector): void {
    this.#holders.set(connector, (this.#holders.get(connector) ?? 0) + 1);
  }

  /** Whether the connector is closed, or still held by another generation. */
  async giveBack(connector: Connector, limit: number): Promise<boolean> {
    const holders = (this.#holders.get(connector) ?? 0) - 1;
    if (holders > 0) {
      this.#holders.set(connector, holders);
      return true;
    }
    this.#holders.delete(connector);
    return closed(connector, limit, this.#log);
  }
}

/**
 * Closes a connector or a shared resource. Never rejects, and takes `limit` milliseconds at most: one that cannot be
 * closed is logged and abandoned, so that it prevents neither the others nor the process from ending.
 */
export async function closed(one: Pick<Connector, 'name' | 'close'>, limit: number, log: Log): Promise<boolean> {
  try {
    await withinTime(limit, (cut) => one.close(cut));
    return true;
  } catch (error) {
    log.warn('connector did not close cleanly', { connector: one.name, error });
    return false;
  }
}
