import type { Eventually } from '../../../../platform/sync/store.ts';
import type { Alongside } from '../../hold/holding.ts';
import type { Frame } from '../../message/frame.ts';

/**
 * What a sequence guard asks of a store that it shares with the lock around it: its read is sent with the first attempt
 * to take the lock, its write with the release. The store does both in the order in which they are asked for, so that
 * the number is read by the owner of the lock, and kept before another one gets it.
 */
export class Ahead<T> implements Alongside {
  readonly #read: (frame: Frame) => Promise<T>;
  readonly #asked = new WeakMap<Frame, Promise<T>>();
  readonly #writes = new WeakMap<Frame, () => Eventually<void>>();

  constructor(read: (frame: Frame) => Promise<T>) {
    this.#read = read;
  }

  begin(frame: Frame): void {
    const asked = this.#read(frame);
    // The guard awaits the same promise and reports its error, if the flow reaches it.
    asked.catch(() => undefined);
    this.#asked.set(frame, asked);
  }

  forget(frame: Frame): void {
    this.#asked.delete(frame);
  }

  end(frame: Frame): Eventually<void> {
    const write = this.#writes.get(frame);
    if (write === undefined) return undefined;
    this.#writes.delete(frame);
    return write();
  }

  /** The answer that was requested ahead, once; undefined when it was not requested, or when it is outdated. */
  answer(frame: Frame): Promise<T> | undefined {
    const asked = this.#asked.get(frame);
    this.#asked.delete(frame);
    return asked;
  }

  /** Schedules this work for the turn in which the lock is released; it must never reject. */
  later(frame: Frame, write: () => Eventually<void>): void {
    this.#writes.set(frame, write);
  }
}
