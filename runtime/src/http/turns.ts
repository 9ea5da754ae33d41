import type { Clock } from '../observe/clock.ts';
import type { Exchange } from './exchange.ts';

/** How long the requests of one turn of the event loop are served as they come, in milliseconds. */
const turnLength = 2;
/** How long requests wait at a stretch while connections are taken, in milliseconds. */
const acceptLength = 2;

/**
 * Shares the event loop between requests that are served without waiting for anything. Node takes one new connection in a
 * turn, and reads on when all that it has read is served: under load requests would wait in the system, where nobody
 * counts them and no limit holds. Here those that come when a turn has lasted long enough wait in order, counted as in
 * flight, while the rest is read and refused if it is too much. Turns that take a connection serve nothing for a moment,
 * so that they are short and many connections are taken together; then requests are served for as long.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #serve: (exchange: Exchange) => void;
  readonly #waiting: Exchange[] = [];
  /** When the turn under way has lasted long enough. */
  #until = 0;
  #underWay = false;
  /** A connection was taken in the turn under way. */
  #accepted = false;
  /** Until when turns that take connections serve nothing. */
  #acceptingUntil = 0;

  constructor(clock: Clock, serve: (exchange: Exchange) => void) {
    this.#clock = clock;
    this.#serve = serve;
  }

  /** Told of every connection that is taken. */
  accepted(): void {
    this.#accepted = true;
    if (!this.#underWay) this.#beginFirst(this.#clock.elapsed());
  }

  /** Serves the exchange now, or in one of the next turns. `serve` never throws. */
  take(exchange: Exchange): void {
    const now = this.#clock.elapsed();
    if (!this.#underWay) this.#beginFirst(now);
    const accepting = this.#accepted && now <= this.#acceptingUntil;
    if (this.#waiting.length > 0 || now > this.#until || accepting) this.#waiting.push(exchange);
    else this.#serve(exchange);
  }

  #beginFirst(now: number): void {
    this.#acceptingUntil = now + acceptLength;
    this.#begin(now);
  }

  #begin(now: number): void {
    this.#underWay = true;
    this.#until = now + turnLength;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#underWay = false;
    const accepted = this.#accepted;
    this.#accepted = false;
    if (this.#waiting.length === 0) return;
    const now = this.#clock.elapsed();
    this.#begin(now);
    // The next connection is taken in the next turn.
    if (accepted && now <= this.#acceptingUntil) return;
    let served = 0;
    do {
      this.#serve(this.#waiting[served++] as Exchange);
    } while (served < this.#waiting.length && this.#clock.elapsed() <= this.#until);
    this.#waiting.splice(0, served);
    this.#acceptingUntil = this.#clock.elapsed() + acceptLength;
  };
}
