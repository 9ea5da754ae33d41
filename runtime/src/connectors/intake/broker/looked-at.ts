import type { QueuedMessage } from '../../../foundation/contracts/queue.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** Bytes of all messages that are looked at together: they are kept in memory until all of them are shown. */
const mostBytes = 64 * 1024 * 1024;

/** Messages that were found for people, within a bound of their bytes. */
export class LookedAt {
  readonly all: QueuedMessage[] = [];
  #bytes = 0;

  /** Throws a Failure when they become too much. */
  add(message: QueuedMessage): void {
    this.#bytes += message.content.length;
    if (this.#bytes > mostBytes && this.all.length > 0)
      throw new Failure(
        'connector_failed',
        `the next ${this.all.length + 1} messages have more than 64 MiB together: look at fewer at a time`,
        { retriable: false },
      );
    this.all.push(message);
  }
}
