import type { Clock, Reading } from '../../../foundation/observe/clock.ts';
import type { Room } from './room.ts';

/** How long the requests of one turn of the event loop are served as they come, in milliseconds. */
const turnLength = 1;

/**
 * Shares the event loop between requests that are served without waiting for anything. Node reads on when all that it has
 * read is served: under load requests would wait in the system, where they are not counted and no limit holds. Here those
 * that come when a turn has lasted long enough wait in order, counted as in flight, while the rest is read and refused if
 * it is too much.
 */
export class Turns<T> {
  readonly #clock: Clock;
  readonly #roomOf: (request: T) => Room;
  readonly #serve: (request: T) => void;
  readonly #waiting: T[] = [];
  /** When the turn under way began. */
  #began: Reading;
  #underWay = false;

  constructor(clock: Clock, roomOf: (request: T) => Room, serve: (request: T) => void) {
    this.#clock = clock;
    this.#began = clock.reading();
    this.#roomOf = roomOf;
    this.#serve = serve;
  }

  /** Serves the request now, or in one of the next turns. `serve` never throws. `now` is a reading, where it is known. */
  take(request: T, now = this.#clock.reading()): void {
    if (!this.#underWay) this.#begin(now);
    if (this.#waiting.length > 0 || this.#clock.since(this.#began) > turnLength) this.#wait(request);
    else this.#serve(request);
  }

  #wait(request: T): void {
    this.#roomOf(request).waiting++;
    this.#waiting.push(request);
  }

  #begin(now: Reading): void {
    this.#underWay = true;
    this.#began = now;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#underWay = false;
    if (this.#waiting.length === 0) return;
    this.#begin(this.#clock.reading());
    let served = 0;
    do {
      const request = this.#waiting[served++] as T;
      this.#roomOf(request).waiting--;
      this.#serve(request);
    } while (served < this.#waiting.length && this.#clock.since(this.#began) <= turnLength);
    this.#waiting.splice(0, served);
  };
}
