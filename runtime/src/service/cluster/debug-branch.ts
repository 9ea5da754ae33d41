import type { Channel } from '@svc/protocol/wire';
import type { DebugEntryPoint } from '../debug/connection/entry-point.ts';
import type { DebugMessage, SendDebug } from './debug-messages.ts';

/** The debug connections of a worker, whose other ends are in the primary. */
export class DebugBranch {
  readonly #entryPoint: DebugEntryPoint;
  readonly #send: SendDebug;
  readonly #ends = new Map<number, RelayedEnd>();

  constructor(entryPoint: DebugEntryPoint, send: SendDebug) {
    this.#entryPoint = entryPoint;
    this.#send = send;
  }

  take(message: DebugMessage): void {
    const { debug } = message;
    if (!('open' in message)) return this.#ends.get(debug)?.take(message);
    const end = new RelayedEnd(debug, this.#send);
    this.#ends.set(debug, end);
    void end.closed.then(() => this.#ends.delete(debug));
    this.#entryPoint.connect(end).catch(() => end.close(1011, 'the debug endpoint failed'));
  }
}

/** A channel through the primary. A text has left when it left for the client. */
class RelayedEnd implements Channel {
  readonly closed: Promise<void>;
  readonly #debug: number;
  readonly #send: SendDebug;
  readonly #over: () => void;
  #isOver = false;
  /** Called in turn as texts leave. */
  readonly #leaving: (() => void)[] = [];
  #receive: ((text: string) => void) | undefined;
  /** What came before a listener was added. */
  readonly #early: string[] = [];

  constructor(debug: number, send: SendDebug) {
    this.#debug = debug;
    this.#send = send;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.closed = promise;
    this.#over = () => {
      this.#isOver = true;
      for (const left of this.#leaving.splice(0)) left();
      resolve();
    };
  }

  send(text: string): void | Promise<void> {
    if (this.#isOver) return;
    this.#send({ debug: this.#debug, text });
    return new Promise((resolve) => void this.#leaving.push(resolve));
  }

  receive(take: (text: string) => void): void {
    this.#receive = take;
    for (const text of this.#early.splice(0)) take(text);
  }

  close(code = 1000, reason = ''): void {
    if (this.#isOver) return;
    this.#send({ debug: this.#debug, close: code, reason });
    this.#over();
  }

  take(message: DebugMessage): void {
    if ('close' in message) this.#over();
    else if ('sent' in message) this.#leaving.shift()?.();
    else if ('text' in message) {
      if (this.#receive === undefined) this.#early.push(message.text);
      else this.#receive(message.text);
    }
  }
}
