import { createHash } from 'node:crypto';
import type { Codec } from '../../../platform/formats/registry.ts';
import type { Delivery, MessageContent, Retry, Settlement } from '../../intake/driver.ts';
import type { Entry } from '../store.ts';
import type { Tracked } from './tracked.ts';
import { versionOf } from './tracked.ts';

/** What a delivery asks of the watch that made it. */
export interface Watch {
  message(entry: Entry, event: Tracked['event'], codec: Codec | undefined): Promise<MessageContent>;
  settle(file: Tracked, settlement: Settlement): Promise<void>;
  postpone(file: Tracked, retry: Retry): void;
}

/** One version of a file, for the intake. */
export class FileDelivery implements Delivery {
  readonly key: string;
  readonly order: string;
  readonly id = undefined;
  readonly tries: number;
  readonly returnable = true;
  readonly postpone: Delivery['postpone'];
  readonly #watch: Watch;
  readonly #file: Tracked;

  constructor(watch: Watch, file: Tracked) {
    const { entry, tries } = file;
    this.key = entry.path;
    this.order = entry.path;
    this.tries = tries;
    this.#watch = watch;
    this.#file = file;
    this.postpone = async (retry) => this.#watch.postpone(this.#file, retry);
  }

  identity(): string {
    return createHash('sha256')
      .update(`${this.key}\0${versionOf(this.#file.entry)}`)
      .digest('hex');
  }

  message(codec: Codec | undefined): Promise<MessageContent> {
    return this.#watch.message(this.#file.entry, this.#file.event, codec);
  }

  settle(settlement: Settlement): Promise<void> {
    return this.#watch.settle(this.#file, settlement);
  }
}
