import type { Clock } from '../../observe/clock.ts';
import type { Exchange } from '../exchange.ts';

/** How long the requests of one turn of the event loop are served as they come, in milliseconds. */
const turnLength = 1;
/** The same while connections come, of which each waits for two turns: to be taken, and to be read. */
const shortTurnLength = 0.5;

/**
 * Shares the event loop between requests that are served without waiting for anything. Node reads on when all that it has
 * read is served: under load requests would wait in the system, where they are not counted and no limit holds. Here those
 * that come when a turn has lasted long enough wait in order, counted as in flight, while the rest is read and refused if
 * it is too much.
 *
 * What a new connection has sent is read one turn after the connection is taken. While connections come, every second turn
 * therefore serves nothing that waits: what they ask is counted, or refused, as soon as it can be read.
 */
export class Turns {
  readonly #clock: Clock;
  readonly #serve: (exchange: Exchange) => void;
  readonly #waiting: Exchange[] = [];
  /** When the turn under way has lasted long enough. */
  #until = 0;
  #underWay = false;
  /** Connections were taken in this turn; what they have sent is read in the next one. */
  #isUnread = false;
  /** This turn serves nothing, so that the next one comes soon. */
  #isPassing = false;

  constructor(clock: Clock, serve: (exchange: Exchange) => void) {
    this.#clock = clock;
    this.#serve = serve;
  }

  /** Serves the exchange now, or in one of the next turns. `serve` never throws. `now` is the time, where it is known. */
  take(exchange: Exchange, now = this.#clock.elapsed()): void {
    if (!this.#underWay) this.#begin(now + (this.#isUnread ? shortTurnLength : turnLength));
    if (this.#waiting.length > 0 || now > this.#until) this.#wait(exchange);
    else this.#serve(exchange);
  }

  /** Called for every connection that is taken. */
  connected(): void {
    this.#isUnread = true;
  }

  #wait(exchange: Exchange): void {
    exchange.route.admission.waiting++;
    this.#waiting.push(exchange);
  }

  /** `until` is when it has lasted long enough. */
  #begin(until: number): void {
    this.#underWay = true;
    this.#until = until;
    setImmediate(this.#next);
  }

  readonly #next = (): void => {
    this.#underWay = false;
    const isShort = this.#isUnread || this.#isPassing;
    // Never twice in a row: connections that keep coming would stop what waits.
    this.#isPassing = this.#isUnread && !this.#isPassing && this.#waiting.length > 0;
    this.#isUnread = false;
    if (this.#waiting.length === 0) return;
    if (this.#isPassing) return this.#begin(Number.NEGATIVE_INFINITY);
    this.#begin(this.#clock.elapsed() + (isShort ? shortTurnLength : turnLength));
    let served = 0;
    do {
      const exchange = this.#waiting[served++] as Exchange;
      exchange.route.admission.waiting--;
      this.#serve(exchange);
    } while (served < this.#waiting.length && this.#clock.elapsed() <= this.#until);
    this.#waiting.splice(0, served);
  };
}
