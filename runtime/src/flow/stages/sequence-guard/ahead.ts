import type { Eventually } from '../../../sync/store.ts';
import type { Frame } from '../../frame.ts';
import type { Alongside } from '../../holding.ts';

/**
 * What a sequence guard asks of a store that it shares with the lock around it: its read goes with the first try to take
 * the lock, its write with the release. The store does both in the order in which they are asked for, so that the
 * number is read by whoever has the lock, and kept before anybody else gets it.
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
    // It is told where the guard stands, if the flow comes so far.
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

  /** What was asked ahead, once; undefined when nothing was, or when it has become old. */
  answer(frame: Frame): Promise<T> | undefined {
    const asked = this.#asked.get(frame);
    this.#asked.delete(frame);
    return asked;
  }

  /** Has this done in the turn in which the lock is given back; it must never reject. */
  later(frame: Frame, write: () => Eventually<void>): void {
    this.#writes.set(frame, write);
  }
}
