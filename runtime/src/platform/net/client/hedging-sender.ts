import { Content } from '../../../foundation/contracts/content.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { HttpAnswer, HttpSender } from '../request.ts';
import type { HttpRequest } from './http-request.ts';

/** When a request is sent again although the first may still be answered. */
export interface HedgeSettings {
  /** Milliseconds without an answer before the next one is sent. */
  readonly after: number;
  /** Requests in all. */
  readonly max: number;
}

/**
 * Sends a request that only reads again when its answer is late, over another connection. The first good answer is taken,
 * and the others are given up. One that fails before another was sent fails the request: repeating is not its business.
 */
export class HedgingSender implements HttpSender {
  readonly #inner: HttpSender;
  readonly #settings: HedgeSettings;
  readonly #clock: Clock;
  readonly #sentAgain: () => void;

  /** `sentAgain` is called for each request beside the first. */
  constructor(inner: HttpSender, settings: HedgeSettings, clock: Clock, sentAgain: () => void) {
    this.#inner = inner;
    this.#settings = settings;
    this.#clock = clock;
    this.#sentAgain = sentAgain;
  }

  get ended(): AbortSignal {
    return this.#inner.ended;
  }

  /** Rejects as the sender does, with what became of the first that reached the peer. */
  send(request: HttpRequest): Promise<HttpAnswer> {
    const { body } = request;
    if (body instanceof Content && body.bytes.once) return this.#inner.send(request);
    const race = new Race(this.#inner, request, this.#clock, this.#sentAgain);
    return race.run(this.#settings);
  }

  close(cut?: AbortSignal): Promise<void> {
    return this.#inner.close(cut);
  }
}

/** What became of an attempt that brought no good answer. */
type Loss = { readonly answer: HttpAnswer } | { readonly error: unknown };

/** One request, and those that are sent beside it. */
class Race {
  readonly #inner: HttpSender;
  readonly #request: HttpRequest;
  readonly #clock: Clock;
  readonly #sentAgain: () => void;
  readonly #outcome = Promise.withResolvers<HttpAnswer>();
  readonly #running = new Set<AbortController>();
  /** Fires when there is an outcome: no further request is sent. */
  readonly #over = new AbortController();
  readonly #end: number;
  #loss: Loss | undefined;

  constructor(inner: HttpSender, request: HttpRequest, clock: Clock, sentAgain: () => void) {
    this.#inner = inner;
    this.#request = request;
    this.#clock = clock;
    this.#sentAgain = sentAgain;
    this.#end = clock.elapsed() + request.deadline;
  }

  async run({ after, max }: HedgeSettings): Promise<HttpAnswer> {
    const { signal } = this.#request;
    const abort = () => {
      for (const each of this.#running) each.abort(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    this.#begin();
    void this.#sendMore(after, max);
    try {
      return await this.#outcome.promise;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async #sendMore(after: number, max: number): Promise<void> {
    for (let sent = 1; sent < max; sent++) {
      await this.#clock.sleep(after, this.#over.signal).catch(() => undefined);
      const { signal } = this.#request;
      if (this.#over.signal.aborted || signal?.aborted === true || this.#clock.elapsed() >= this.#end) return;
      this.#sentAgain();
      this.#begin();
    }
  }

  #begin(): void {
    const stop = new AbortController();
    const { signal } = this.#request;
    if (signal?.aborted === true) stop.abort(signal.reason);
    this.#running.add(stop);
    const deadline = Math.max(this.#end - this.#clock.elapsed(), 1);
    this.#inner.send({ ...this.#request, signal: stop.signal, deadline }).then(
      (answer) => this.#answered(stop, answer),
      (error: unknown) => this.#lost(stop, { error }),
    );
  }

  #answered(stop: AbortController, answer: HttpAnswer): void {
    if (this.#over.signal.aborted) return discard(answer);
    if (answer.status >= 500) return this.#lost(stop, { answer });
    this.#running.delete(stop);
    this.#over.abort();
    this.#outcome.resolve(answer);
    for (const other of this.#running) other.abort(new Error('another request was answered first'));
  }

  #lost(stop: AbortController, loss: Loss): void {
    this.#running.delete(stop);
    if (this.#over.signal.aborted) return;
    // What was held back says less than what reached the peer.
    if (this.#loss === undefined || isHeldBack(this.#loss)) this.#loss = loss;
    if (this.#running.size > 0) return;
    this.#over.abort();
    if ('answer' in this.#loss) this.#outcome.resolve(this.#loss.answer);
    else this.#outcome.reject(this.#loss.error);
  }
}

function isHeldBack(loss: Loss): boolean {
  return 'error' in loss && loss.error instanceof Failure && loss.error.code === 'peer_unavailable';
}

/** Two were answered at once. */
function discard({ kept, passing }: HttpAnswer): void {
  kept?.close();
  passing?.close();
}
