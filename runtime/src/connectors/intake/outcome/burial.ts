import type { SourceCounts } from '../../../foundation/contracts/observer.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { textOf } from '../../../platform/net/connection.ts';
import type { Delivery, Retry } from '../driver.ts';

/** Milliseconds before a message is tried again that could not be kept as a dead letter. */
const pause = 30_000;

/** Keeps messages that are given up as dead letters, and counts those that are kept. */
export class Burial {
  readonly #log: Log;
  readonly #counts: SourceCounts;

  constructor(log: Log, counts: SourceCounts) {
    this.#log = log;
    this.#counts = counts;
  }

  /** Resolves with undefined once the message is kept, else with how it is tried again. */
  async keep(delivery: Delivery, reason: string): Promise<Retry | undefined> {
    try {
      await delivery.bury?.(reason);
    } catch (error) {
      const said = { key: delivery.key, message_id: delivery.id, reason, error: textOf(error) };
      this.#log.error('message not kept as a dead letter: it stays where it is, and is tried again', said);
      return { tries: delivery.tries + 1, after: pause, reason };
    }
    this.#counts.rejected();
    return undefined;
  }
}
