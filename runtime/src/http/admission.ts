import type { IncomingMessage } from 'node:http';
import type { ConnectorServices } from '../contracts/connector.ts';
import type { Auth } from '../contracts/message.ts';
import type { TokenAnswer } from '../contracts/storage.ts';
import { asFailure } from '../errors/classify.ts';
import { Failure } from '../errors/failure.ts';
import type { Refused, Verifier } from '../identity/verify.ts';
import type { Cors } from './cors.ts';
import type { Exchange } from './exchange.ts';
import { RequestLimiter } from './rate-limit.ts';

export interface AdmissionOptions {
  readonly connector: string;
  readonly cors: Cors | undefined;
  readonly verifier: Verifier | undefined;
  readonly maxInFlight: number;
}

const maxHeaders = 200;

/**
 * Decides whether a request may reach its route: rate limit, preflight, overload and auth, in this order, with the headers
 * of CORS on every answer. Either `next` is called or the exchange is answered, at once unless a limiter or verifier has
 * to wait.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #http: ConnectorServices['http'];
  readonly #limiter: RequestLimiter | undefined;
  readonly #next: (exchange: Exchange) => void;

  constructor(options: AdmissionOptions, services: ConnectorServices, next: (exchange: Exchange) => void) {
    this.#options = options;
    this.#http = services.http;
    const { rateLimiter, trustedProxies } = services.http;
    this.#limiter = rateLimiter && new RequestLimiter(rateLimiter, trustedProxies, services.clock);
    this.#next = next;
  }

  /** `inFlight` counts this request too. */
  admit(exchange: Exchange, inFlight: number): void {
    const { cors, verifier } = this.#options;
    if (verifier !== undefined) exchange.addHeaders(verifier.responseHeaders);
    cors?.addHeaders(exchange);
    const busy = !exchange.route.builtin && (inFlight > this.#options.maxInFlight || this.#http.overloaded());
    // Questions to a store are bounded by what may be in flight.
    if (this.#limiter === undefined || (busy && this.#limiter.shared)) this.#refuseOrIdentify(exchange, busy);
    else this.#limit(exchange, this.#limiter, busy);
  }

  /** Counts what is no request; undefined where nothing is limited. */
  limitMalformed(peer: Pick<IncomingMessage, 'socket' | 'headers'>): TokenAnswer | Promise<TokenAnswer> | undefined {
    return this.#limiter?.askMalformed(peer);
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
    if (exchange.request.rawHeaders.length > 2 * maxHeaders) tooManyHeaders(exchange);
    else if (this.#options.cors?.answerPreflight(exchange) === true) return;
    else if (busy)
      exchange.refuse(new Failure('overloaded', 'the service is too busy; try again shortly', { retryAfter: 1000 }));
    else this.#identify(exchange);
  }

  #identify(exchange: Exchange): void {
    const { verifier } = this.#options;
    const { route, request } = exchange;
    let verdict: Auth | Refused | undefined | Promise<Auth | Refused | undefined>;
    if (!route.open)
      verdict =
        verifier === undefined
          ? this.#http.recognise?.(request.headers)
          : verifier.verify(request, exchange.path, exchange.query);
    if (verdict === undefined) this.#next(exchange);
    else if (verdict instanceof Promise) this.#later(exchange, verdict, (late) => this.#identified(exchange, late));
    else this.#identified(exchange, verdict);
  }

  #identified(exchange: Exchange, verdict: Auth | Refused | undefined): void {
    if (verdict !== undefined && 'refused' in verdict) {
      if (verdict.refused.code === 'authentication_required') this.#limiter?.countRefused(exchange);
      exchange.refuse(verdict.refused, verdict.headers);
      return;
    }
    if (verdict !== undefined) exchange.auth = verdict;
    this.#next(exchange);
  }

  #later<T>(exchange: Exchange, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => {
      exchange.refuse(asFailure(error, { connector: this.#options.connector }));
    });
  }
}

function tooManyHeaders(exchange: Exchange): void {
  const body = JSON.stringify({ error: `the request has more than ${maxHeaders} headers`, code: 'headers_too_large' });
  exchange.send(431, 'application/json; charset=utf-8', body);
}
