import { systemClock } from '../../../foundation/observe/clock.ts';

/** Milliseconds between two looks at the bodies that are late. */
const lookEvery = 1_000;
/** Milliseconds in which a body that has become late must show its pace. */
const firstCredit = 5_000;

/** What callers are given where nothing is written: milliseconds, and bytes of one second. */
export const standardPace = { readTimeout: 15_000, readRate: 8 * 1024 };

/** A body that is received. */
export interface ReceivedBody {
  readonly isComplete: () => boolean;
  /** Bytes so far. */
  readonly received: () => number;
  /** This side has not taken what has come. */
  readonly isUntaken: () => boolean;
  /** Refuses the request, whose caller is too slow. */
  readonly end: () => void;
}

interface Late {
  readonly body: ReceivedBody;
  /** Bytes at the last look. */
  bytes: number;
  /** Milliseconds that the caller has left. */
  credit: number;
  /** At the last look, this side had not taken what had come. */
  wasUntaken: boolean;
}

/**
 * Bodies that are not there when `readTimeout` is over. Each may take longer as long as its caller keeps a pace: every
 * `readRate` bytes are a second of credit, up to `readTimeout`, and a caller without credit is ended. While this side does
 * not take what has come, the time is not the caller's. Costs nothing before a body is late.
 */
export class LateBodies {
  readonly #late = new Set<Late>();
  #timer: NodeJS.Timeout | undefined;
  #lookedAt = 0;
  /** Milliseconds. */
  readTimeout = standardPace.readTimeout;
  /** Bytes for one second. */
  readRate = standardPace.readRate;

  /** Takes up a body that is late. */
  take(body: ReceivedBody): void {
    this.#look();
    const credit = Math.min(firstCredit, this.readTimeout);
    this.#late.add({ body, bytes: body.received(), credit, wasUntaken: false });
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
  }

  #look(): void {
    const now = systemClock.elapsed();
    const elapsed = now - this.#lookedAt;
    this.#lookedAt = now;
    for (const late of this.#late) {
      const { body } = late;
      if (body.isComplete()) {
        this.#late.delete(late);
        continue;
      }
      const received = body.received();
      const earned = ((received - late.bytes) / this.readRate) * 1_000;
      late.bytes = received;
      const isUntaken = body.isUntaken();
      // How much of the time before this look it was not taken is not known.
      const spent = isUntaken || late.wasUntaken ? 0 : elapsed;
      late.wasUntaken = isUntaken;
      late.credit = Math.min(late.credit + earned - spent, this.readTimeout);
      if (late.credit > 0) continue;
      this.#late.delete(late);
      body.end();
    }
    if (this.#late.size > 0 || this.#timer === undefined) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
