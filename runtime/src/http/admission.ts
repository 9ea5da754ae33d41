import type { ConnectorServices, TokenAnswer } from '../connectors/contract.ts';
import { asFailure } from '../errors/classify.ts';
import { Failure } from '../errors/failure.ts';
import type { Auth } from '../flow/message.ts';
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
 * Decides whether a request may reach its route: CORS, then overload, rate limit and auth (decisions 56). Either `next`
 * is called or the exchange is answered, at once unless a limiter or verifier has to wait.
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
    if (cors !== undefined && cors.admit(exchange) === 'answered') return;
    if (exchange.request.rawHeaders.length > 2 * maxHeaders) tooManyHeaders(exchange);
    else if (!exchange.route.builtin && (inFlight > this.#options.maxInFlight || this.#http.overloaded()))
      exchange.refuse(new Failure('overloaded', 'the service is too busy; try again shortly', { retryAfter: 1000 }));
    else if (this.#limiter === undefined) this.#identify(exchange);
    else this.#limit(exchange, this.#limiter);
  }

  #limit(exchange: Exchange, limiter: RequestLimiter): void {
    const answer = limiter.ask(exchange);
    const settle = (taken: TokenAnswer) => {
      if (limiter.admit(exchange, taken)) this.#identify(exchange);
    };
    if (answer === undefined) this.#identify(exchange);
    else if (answer instanceof Promise) this.#later(exchange, answer, settle);
    else settle(answer);
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
