import type { GraphQLError } from 'graphql';
import type { StillKnown } from '../../../../foundation/contracts/http.ts';
import type { Auth } from '../../../../foundation/contracts/message.ts';
import { LiveSession } from '../../../../platform/http/websocket/live-session.ts';
import type { ErrorForm } from '../execution/errors.ts';
import { encodeResult } from './results.ts';
import type { Receiver } from './subscription.ts';

/** Times in milliseconds, sizes in bytes. */
export interface EventFeedOptions {
  readonly keepAlive: number;
  readonly mostHeld: number;
  readonly errors: ErrorForm;
  readonly auth: Auth;
  readonly stillKnown: StillKnown | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** How long a caller waits before it connects again (HTML, 9.2: `retry`). */
const again = 'retry: 1000\n\n';
const comment = ':\n\n';
const complete = 'event: complete\ndata:\n\n';

type Piece = IteratorResult<string | Uint8Array, undefined>;
const done: Piece = { done: true, value: undefined };

/** The pieces of one stream of events: one at a time, as its caller takes them. */
export class EventFeed implements AsyncIterableIterator<string | Uint8Array, undefined> {
  readonly #options: EventFeedOptions;
  readonly #closed: () => void;
  readonly #session: LiveSession;
  readonly #timer: NodeJS.Timeout;
  /** What is sent next, whatever the queue of events is: few at most. */
  readonly #urgent: string[] = [comment];
  #wanted: ((piece: Piece) => void) | undefined;
  #whenReady: (() => void) | undefined;
  #end: () => void = () => undefined;
  #held = 0;
  #isEnding = false;
  #isOver = false;

  constructor(options: EventFeedOptions, closed: () => void) {
    const { keepAlive, now, auth, stillKnown } = options;
    this.#options = options;
    this.#closed = closed;
    // A caller whose session has ended may come again with another one.
    this.#session = new LiveSession({ interval: keepAlive, endedCode: 0, now }, { close: () => this.goAway() });
    this.#session.begin(auth, stillKnown);
    this.#timer = setInterval(() => {
      if (this.#urgent.length === 0) this.#say(comment);
    }, keepAlive);
    this.#timer.unref();
  }

  /** `begin` makes the subscription, and gives what ends it. */
  begin(begin: (receiver: Receiver) => () => void): void {
    this.#end = begin(this.#receiver());
  }

  /** Ends the stream without a result, so that its caller asks again. */
  goAway(): void {
    this.#finish(again);
  }

  next(): Promise<Piece> {
    if (this.#isOver) return Promise.resolve(done);
    const urgent = this.#urgent.shift();
    if (urgent !== undefined) return Promise.resolve({ done: false, value: urgent });
    if (this.#isEnding) return this.return();
    return new Promise((resolve) => {
      this.#wanted = resolve;
      const act = this.#whenReady;
      this.#whenReady = undefined;
      act?.();
    });
  }

  /** The caller has gone. */
  async return(): Promise<Piece> {
    if (this.#isOver) return done;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#session.forget();
    this.#end();
    this.#closed();
    this.#wanted?.(done);
    this.#wanted = undefined;
    return done;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #receiver(): Receiver {
    const feed = this;
    const most = this.#options.mostHeld;
    return {
      get isReady() {
        return feed.#wanted !== undefined;
      },
      whenReady: (act) => {
        this.#whenReady = act;
      },
      mayHold: (bytes) => this.#held === 0 || this.#held + bytes <= most,
      held: (by) => {
        this.#held += by;
      },
      next: (result) => this.#give(Buffer.concat([before, result, behind])),
      end: (errors) => this.#finish(errors === undefined ? complete : `${this.#event(errors)}${complete}`),
    };
  }

  #event(errors: readonly GraphQLError[]): string {
    return `event: next\ndata: ${encodeResult({ errors }, this.#options.errors)}\n\n`;
  }

  #finish(last: string): void {
    if (this.#isEnding || this.#isOver) return;
    this.#isEnding = true;
    this.#end();
    this.#say(last);
  }

  #say(text: string): void {
    if (this.#wanted === undefined) this.#urgent.push(text);
    else this.#give(text);
  }

  #give(value: string | Uint8Array): void {
    const wanted = this.#wanted;
    this.#wanted = undefined;
    wanted?.({ done: false, value });
  }
}

const before = Buffer.from('event: next\ndata: ');
const behind = Buffer.from('\n\n');
