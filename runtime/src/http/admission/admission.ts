import type { AuthenticationRequest, HttpAccess, HttpServices, Refused } from '../../contracts/http.ts';
import type { Auth } from '../../contracts/message.ts';
import type { TokenAnswer } from '../../contracts/storage.ts';
import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import type { Clock } from '../../observe/clock.ts';
import type { Exchange } from '../exchange.ts';
import type { RequestLimiter } from './rate-limit.ts';

const maxHeaders = 200;
/** How long a mount that has refused a request for want of room is short of it, in milliseconds. */
const shortFor = 100;
/** The share of `max_in_flight` that may wait for the processor then. */
const waitingShare = 1 / 4;
/** One for all refusals: to make an error with its stack takes longer than the rest of a refusal. */
const overloaded = new Failure('overloaded', 'the service is too busy; try again shortly', { retryAfter: 1000 });
const foreign = 'pages of another origin may not change anything here; a cors block names those that may';

/** What credentials that come over the connection can make good: a header that is missing. */
const comesLater: ReadonlySet<string> = new Set(['authentication_required', 'input_refused']);

/**
 * Decides whether a request may reach a route of one mount: rate limit, preflight, origin, overload and auth, in this
 * order, with the headers of CORS on every answer. Either `next` is called or the exchange is answered, at once unless a
 * limiter or verifier has to wait.
 */
export class Admission {
  readonly connector: string;
  /** Requests of the mount under way, the one that is admitted among them. */
  inFlight = 0;
  /** Those of them that wait for the processor. */
  waiting = 0;
  readonly #access: HttpAccess;
  readonly #services: HttpServices;
  readonly #limiter: RequestLimiter | undefined;
  readonly #next: (exchange: Exchange) => void;
  readonly #clock: Clock;
  /** Until when there is too little room; 0 when there is enough. */
  #shortUntil = 0;

  constructor(
    connector: string,
    access: HttpAccess,
    limiter: RequestLimiter | undefined,
    services: HttpServices,
    next: (exchange: Exchange) => void,
    clock: Clock,
  ) {
    this.connector = connector;
    this.#access = access;
    this.#services = services;
    this.#limiter = limiter;
    this.#next = next;
    this.#clock = clock;
  }

  admit(exchange: Exchange): void {
    const { cors, verifier } = this.#access;
    if (verifier !== undefined) exchange.addHeaders(verifier.responseHeaders);
    cors?.addHeaders(exchange);
    const busy = !exchange.route.builtin && (this.#isFull() || this.#services.overloaded());
    // Requests to a store are bounded by what may be in flight.
    if (this.#limiter === undefined || (busy && this.#limiter.shared)) this.#refuseOrIdentify(exchange, busy);
    else this.#limit(exchange, this.#limiter, busy);
  }

  /**
   * Whether too many requests are under way, or wait while others are refused. Those that wait for the processor are served
   * no sooner for being many: when more comes than it can do, a queue that is as long as it may be only adds to the time of
   * every request that is served. Requests that wait for something else are not counted here, since fewer of them would mean
   * that less is done. A moment after the last refusal, all of `max_in_flight` may wait again, as a burst needs it.
   */
  #isFull(): boolean {
    const { maxInFlight } = this.#access;
    const isFull = this.inFlight > maxInFlight;
    if (!isFull && (this.#shortUntil === 0 || this.waiting < maxInFlight * waitingShare)) return false;
    const now = this.#clock.elapsed();
    if (isFull || now < this.#shortUntil) {
      this.#shortUntil = now + shortFor;
      return true;
    }
    this.#shortUntil = 0;
    return false;
  }

  #limit(exchange: Exchange, limiter: RequestLimiter, busy: boolean): void {
    const answer = limiter.ask(exchange);
    const settle = (taken: TokenAnswer) => {
      if (limiter.admit(exchange, taken)) this.#refuseOrIdentify(exchange, busy);
    };
    if (answer === undefined) this.#refuseOrIdentify(exchange, busy);
    else if (answer instanceof Promise) this.#later(exchange, answer, settle);
    else settle(answer);
  }

  #refuseOrIdentify(exchange: Exchange, busy: boolean): void {
    if (exchange.request.rawHeaders.length > 2 * maxHeaders) return tooManyHeaders(exchange);
    const { cors } = this.#access;
    if (cors?.answerPreflight(exchange) === true) return;
    if (cors?.refuses(exchange) === true) exchange.refuse(new Failure('permission_denied', foreign));
    else if (busy) exchange.refuse(overloaded);
    else if (exchange.upgrading !== undefined && this.#isForeign(exchange))
      exchange.refuse(new Failure('permission_denied', 'pages of this origin may not open a connection here'));
    else this.#identify(exchange);
  }

  /** Browsers let any page open a connection and send its cookies with it: only the server can refuse that. */
  #isForeign({ request: { headers } }: Exchange): boolean {
    const { origin, host } = headers;
    if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())) return false;
    return this.#access.cors?.permits(origin) !== true;
  }

  #identify(exchange: Exchange): void {
    const { verifier } = this.#access;
    const { recognise } = this.#services;
    let verdict: Auth | Refused | undefined | Promise<Auth | Refused | undefined>;
    if (!exchange.route.open)
      verdict = verifier === undefined ? recognise?.(exchange) : verifier.verify(exchange, recognise);
    if (verdict === undefined) this.#next(exchange);
    else if (verdict instanceof Promise) this.#later(exchange, verdict, (late) => this.#identified(exchange, late));
    else this.#identified(exchange, verdict);
  }

  /** Who calls by credentials that came after the request. */
  async identifyLate(exchange: Exchange, asked: AuthenticationRequest): Promise<Auth | Refused | undefined> {
    const { verifier } = this.#access;
    const { recognise } = this.#services;
    const verdict = await (verifier === undefined ? recognise?.(asked) : verifier.verify(asked, recognise));
    if (isRefused(verdict) && asFailure(verdict.refused).code === 'authentication_required')
      this.#limiter?.countRefused(exchange);
    return verdict;
  }

  #identified(exchange: Exchange, verdict: Auth | Refused | undefined): void {
    if (isRefused(verdict)) {
      const { code } = asFailure(verdict.refused);
      if (comesLater.has(code) && exchange.route.awaits?.(exchange) === true) {
        exchange.isUnidentified = true;
        this.#next(exchange);
        return;
      }
      if (code === 'authentication_required') this.#limiter?.countRefused(exchange);
      exchange.refuse(verdict.refused, verdict.headers);
      return;
    }
    if (verdict !== undefined) exchange.auth = verdict;
    this.#next(exchange);
  }

  #later<T>(exchange: Exchange, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => {
      exchange.refuse(asFailure(error, { connector: this.connector }));
    });
  }
}

function isRefused(verdict: Auth | Refused | undefined): verdict is Refused {
  return verdict !== undefined && 'refused' in verdict;
}

function tooManyHeaders(exchange: Exchange): void {
  const body = JSON.stringify({ error: `the request has more than ${maxHeaders} headers`, code: 'headers_too_large' });
  exchange.send(431, 'application/json; charset=utf-8', body);
}
