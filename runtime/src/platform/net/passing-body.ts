import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';

/** Bytes that wait for their reader before the peer is paused. */
const waitingBytes = 64 * 1024;

/**
 * The body of an answer that is forwarded as it comes. The peer sends no faster than it is read, and has `left` milliseconds
 * for all of it, or for each piece where the time `renews`: the time that the reader takes does not count. Destroying the
 * stream ends the exchange.
 */
export class PassingBody {
  readonly stream: Readable;
  readonly #controller: Dispatcher.DispatchController;
  readonly #late: () => Failure;
  readonly #renews: boolean;
  #left: number;
  #since = 0;
  #timer: NodeJS.Timeout | undefined;
  #isPaused = false;
  #isOver = false;

  constructor(controller: Dispatcher.DispatchController, left: number, late: () => Failure, renews = false) {
    this.#controller = controller;
    this.#renews = renews;
    this.#left = left;
    this.#late = late;
    this.stream = new Readable({
      highWaterMark: waitingBytes,
      read: () => this.#resume(),
      destroy: (error, done) => {
        this.#leave();
        done(error);
      },
    });
    this.#wait();
  }

  push(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#renews) this.#timer?.refresh();
    if (this.stream.push(chunk)) return;
    this.#isPaused = true;
    clearTimeout(this.#timer);
    if (!this.#renews) this.#left -= systemClock.elapsed() - this.#since;
    this.#controller.pause();
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.stream.push(null);
  }

  fail(failure: Failure): void {
    this.stream.destroy(failure);
  }

  #wait(): void {
    this.#since = systemClock.elapsed();
    this.#timer = setTimeout(() => this.fail(this.#late()), Math.max(this.#left, 1));
  }

  #resume(): void {
    if (!this.#isPaused || this.#isOver) return;
    this.#isPaused = false;
    this.#wait();
    this.#controller.resume();
  }

  #leave(): void {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    this.#isOver = true;
    this.#controller.abort(new Error('abandoned'));
  }
}
