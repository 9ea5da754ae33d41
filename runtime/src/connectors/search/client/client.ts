import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { type Backoff, backoffDelay } from '../../../platform/net/backoff.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../../../platform/net/request.ts';
import { longestRetryAfter, parseRetryAfter } from '../../../platform/net/retry-after.ts';
import type { Node, Nodes } from './nodes.ts';

/** When requests are repeated. */
export interface RetryPolicy extends Backoff {
  /** Attempts in all, the first included. */
  readonly attempts: number;
}

/** One request to the cluster. */
export interface Ask {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Begins with `/`; already encoded. */
  readonly path: string;
  readonly body?: string | undefined;
  /** Lines of JSON instead of one document. */
  readonly isLines?: boolean | undefined;
  /** Carrying it out twice is carrying it out once. */
  readonly repeatable: boolean;
  /** It changes something, so that an answer which is lost leaves its outcome unknown. */
  readonly changes: boolean;
}

/** Who asks, and until when. */
export type Asking = Pick<CallRequest, 'signal' | 'traceparent' | 'tracestate'> & {
  /** Elapsed milliseconds of the clock at which the whole call ends. */
  readonly end: number;
};

/** What became of a request that every node was sent. */
export interface Asked {
  /** At least one. */
  readonly answers: readonly HttpAnswer[];
  /** Those that could not be reached, or did not answer. */
  readonly silent: readonly Node[];
}

/** Milliseconds for which the other nodes are waited for once one has answered. */
const graceTime = 2_000;

/** Answers with which the node says that it cannot serve. */
const unavailable: readonly number[] = [502, 503, 504];

export interface ClientOptions {
  readonly name: string;
  readonly http: HttpClient;
  readonly nodes: Nodes;
  readonly clock: Clock;
  /** Milliseconds for one attempt. */
  readonly timeout: number;
  readonly retry: RetryPolicy;
  /** Names and values in turn, credentials among them. */
  readonly headers: readonly string[];
}

/** Sends requests to the nodes of a cluster: each to the next one, and to another one where the first cannot be reached. */
export class SearchClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get retry(): RetryPolicy {
    return this.#options.retry;
  }

  /**
   * Resolves with any answer. Rejects when there was none: `outcome_unknown` when the request changes something and may
   * have arrived.
   */
  async send(ask: Ask, asking: Asking): Promise<HttpAnswer> {
    const { nodes, clock } = this.#options;
    const tried = new Set<Node>();
    let isUnsure = false;
    for (let attempt = 1; ; ) {
      const node = nodes.next(tried);
      let answer: HttpAnswer | undefined;
      let failure: HttpFailure | undefined;
      try {
        answer = await this.#exchange(node, ask, asking);
        if (unavailable.includes(answer.status)) nodes.failed(node);
        else nodes.reached(node);
      } catch (error) {
        if (!(error instanceof HttpFailure)) throw error;
        failure = error;
        isUnsure ||= error.sent && ask.changes;
        if (error.code === 'connector_refused' || error.code === 'connector_timeout') nodes.failed(node);
        tried.add(node);
        if (this.#mayPassOn(error, ask, asking) && tried.size < nodes.size) continue;
      }
      const wait = this.#waitBefore(attempt, ask, answer, failure);
      if (wait === undefined || clock.elapsed() + wait >= asking.end) {
        if (answer !== undefined) return answer;
        throw this.#unanswered(failure as HttpFailure, isUnsure);
      }
      attempt++;
      tried.clear();
      await this.pause(wait, asking, failure && this.#unanswered(failure, isUnsure));
    }
  }

  /**
   * Sends a request to every node, and resolves when all have answered, or 2 s after the first one did. Rejects when none
   * answered.
   */
  async askEach(ask: Ask, asking: Asking): Promise<Asked> {
    const { nodes, clock } = this.#options;
    const answers = new Map<Node, HttpAnswer>();
    const over = new AbortController();
    const signal = asking.signal === undefined ? over.signal : AbortSignal.any([asking.signal, over.signal]);
    const asked = nodes.all.map(async (node) => {
      try {
        const answer = await this.#exchange(node, ask, { ...asking, signal });
        if (unavailable.includes(answer.status)) nodes.failed(node);
        else nodes.reached(node);
        answers.set(node, answer);
      } catch (error) {
        nodes.failed(node);
        throw error;
      }
    });
    try {
      await Promise.any(asked);
    } catch (error) {
      throw (error as AggregateError).errors[0];
    }
    if (answers.size < nodes.size) {
      const ended = clock.sleep(graceTime, over.signal).catch(() => undefined);
      await Promise.race([Promise.allSettled(asked), ended]);
    }
    over.abort();
    return { answers: [...answers.values()], silent: nodes.all.filter((node) => !answers.has(node)) };
  }

  /** Waits before a repetition; when the client is closed meanwhile, `failure` is thrown, or that it is closed. */
  async pause(wait: number, { signal }: Asking, failure: Failure | undefined): Promise<void> {
    const { http, clock, name } = this.#options;
    const until = signal === undefined ? http.ended : AbortSignal.any([signal, http.ended]);
    await clock.sleep(wait, until).catch(() => {
      if (signal?.aborted === true) throw new Failure('cancelled', 'the request was cancelled', { cause: failure });
      throw failure ?? new Failure('connector_refused', `connector "${name}" is being closed`);
    });
  }

  async #exchange({ origin, base }: Node, ask: Ask, asking: Asking): Promise<HttpAnswer> {
    const { http, headers, timeout, clock } = this.#options;
    const { method, path, body, isLines } = ask;
    const { signal, traceparent, tracestate } = asking;
    const own = [...headers];
    if (body !== undefined) own.push('content-type', isLines ? 'application/x-ndjson' : 'application/json');
    if (traceparent !== undefined) own.push('traceparent', traceparent);
    if (traceparent !== undefined && tracestate !== undefined) own.push('tracestate', tracestate);
    const deadline = Math.min(timeout, Math.max(asking.end - clock.elapsed(), 1));
    return http.send({ method, origin, path: `${base}${path}`, headers: own, body, deadline, signal });
  }

  /** Whether another node is asked at once: nothing reached this one, or it broke off while it was only asked. */
  #mayPassOn({ sent, code }: HttpFailure, { changes }: Ask, { signal, end }: Asking): boolean {
    const { http, clock } = this.#options;
    if (http.ended.aborted || signal?.aborted === true || clock.elapsed() >= end) return false;
    return sent
      ? code === 'connector_refused' && !changes
      : code === 'connector_refused' || code === 'connector_timeout';
  }

  /** Milliseconds until the next attempt; undefined when it is not repeated. A request that was refused with 429 was not carried out. */
  #waitBefore(
    attempt: number,
    { repeatable }: Ask,
    answer: HttpAnswer | undefined,
    failure: HttpFailure | undefined,
  ): number | undefined {
    const { retry, http, clock } = this.#options;
    if (attempt >= retry.attempts || http.ended.aborted) return undefined;
    if (answer !== undefined) {
      const { status, headers } = answer;
      if (status !== 429 && !(repeatable && unavailable.includes(status))) return undefined;
      const asked = headers['retry-after'];
      const wait = parseRetryAfter(Array.isArray(asked) ? asked[0] : asked, clock.now());
      return wait === undefined ? backoffDelay(retry, attempt) : Math.min(wait, longestRetryAfter);
    }
    if (failure === undefined || failure.code === 'cancelled' || (failure.sent && !repeatable)) return undefined;
    if (failure.code !== 'connector_refused' && failure.code !== 'connector_timeout') return undefined;
    return backoffDelay(retry, attempt);
  }

  #unanswered(failure: HttpFailure, isUnsure: boolean): Failure {
    if (!isUnsure || failure.code === 'cancelled') return failure;
    return new Failure('outcome_unknown', `${failure.message}; whether it was carried out is not known`, {
      cause: failure,
    });
  }
}
