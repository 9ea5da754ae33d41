import { type HttpAnswer, HttpFailure, type HttpSender } from '../request.ts';
import type { PeerBreaker, Verdict } from './breaker.ts';
import type { HttpRequest } from './http-request.ts';

/** Sends requests as long as a circuit breaker lets it, and tells the breaker what became of each. */
export class GuardedSender implements HttpSender {
  readonly #inner: HttpSender;
  readonly #breaker: PeerBreaker;

  constructor(inner: HttpSender, breaker: PeerBreaker) {
    this.#inner = inner;
    this.#breaker = breaker;
  }

  get ended(): AbortSignal {
    return this.#inner.ended;
  }

  /** Rejects as the sender does, and with `peer_unavailable`, which is not an HttpFailure: it is not tried again. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const permit = this.#breaker.enter();
    let verdict: Verdict = 'neither';
    try {
      const answer = await this.#inner.send(request);
      verdict = answer.status >= 500 ? 'failure' : 'success';
      return answer;
    } catch (error) {
      if (!this.ended.aborted) verdict = verdictOn(error);
      throw error;
    } finally {
      this.#breaker.leave(permit, verdict);
    }
  }

  close(cut?: AbortSignal): Promise<void> {
    return this.#inner.close(cut);
  }
}

/** An answer that is of no use is an answer; a caller that disconnects says nothing about the peer. */
function verdictOn(error: unknown): Verdict {
  if (!(error instanceof HttpFailure)) return 'neither';
  const { code } = error;
  if (code === 'connector_refused' || code === 'connector_timeout') return 'failure';
  return code === 'cancelled' || !error.sent ? 'neither' : 'success';
}
