import type { EventStream } from './event-stream.ts';
import { heartbeat } from './frame.ts';

/** Shortest time between two parts of the streams, in milliseconds, and most parts. */
const shortest = 50;
const mostParts = 100;

/**
 * Sends every stream a comment in each interval: a part of them at a time, so that many streams cost a little all the
 * time, and not much at once.
 */
export class Heart {
  readonly #streams: ReadonlySet<EventStream>;
  #timer: NodeJS.Timeout | undefined;

  constructor(streams: ReadonlySet<EventStream>) {
    this.#streams = streams;
  }

  /** `interval` in milliseconds. */
  start(interval: number): void {
    const parts = Math.max(1, Math.min(mostParts, Math.floor(interval / shortest)));
    let left: Iterator<EventStream> = this.#streams.values();
    let part = 0;
    const beat = () => {
      // Streams that begin meanwhile are at the end; those of the last part are all that are left.
      if (part === 0) left = this.#streams.values();
      part = (part + 1) % parts;
      for (
        let count = part === 0 ? Number.POSITIVE_INFINITY : Math.ceil(this.#streams.size / parts);
        count > 0;
        count--
      ) {
        const next = left.next();
        if (next.done === true) return;
        next.value.send(heartbeat);
      }
    };
    this.#timer = setInterval(beat, interval / parts).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
