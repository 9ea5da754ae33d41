import type {
  AuthenticationRequest,
  HttpAccess,
  HttpServices,
  Recognise,
  Refused,
} from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { RouteAdmission, ServedExchange } from '../routes/served-route.ts';
import { callerOf, isRefused } from './caller.ts';
import type { RequestLimiter } from './rate-limit.ts';
import { Room } from './room.ts';

const maxHeaders = 200;
/** One for all refusals: to make an error with its stack takes longer than the rest of a refusal. */
export const overloaded = new Failure('overloaded', 'the service is too busy; try again shortly', { retryAfter: 1000 });
const tooManyHeaders = new Failure('headers_too_large', `the request has more than ${maxHeaders} headers`);
const foreign = 'pages of another origin may not change anything here; a cors block names those that may';

/** What credentials that come over the connection can make good: a header that is missing. */
const comesLater: ReadonlySet<string> = new Set(['authentication_required', 'input_refused']);

/**
 * Decides whether a request may reach a route of one mount: rate limit, preflight, origin, overload and auth, in this
 * order, with the headers of CORS on every answer. Either `next` is called or the exchange is answered, at once unless a
 * limiter or verifier has to wait.
 */
export class Admission implements RouteAdmission {
  readonly connector: string;
  /** The requests of the mount. */
  readonly room: Room;
  readonly #access: HttpAccess;
  readonly #services: HttpServices;
  readonly #limiter: RequestLimiter | undefined;
  readonly #next: (exchange: ServedExchange) => void;

  constructor(
    connector: string,
    access: HttpAccess,
    limiter: RequestLimiter | undefined,
    services: HttpServices,
    next: (exchange: ServedExchange) => void,
    clock: Clock,
  ) {
    this.connector = connector;
    this.#access = access;
    this.#services = services;
    this.#limiter = limiter;
    this.#next = next;
    this.room = new Room(access.maxInFlight, clock);
  }

  admit(exchange: ServedExchange): void {
    const { cors, verifier } = this.#access;
    if (verifier !== undefined) exchange.addHeaders(verifier.responseHeaders);
    cors?.addHeaders(exchange);
    const busy = !exchange.route.builtin && (this.room.isFull() || this.#services.overloaded());
    // Requests to a store are bounded by what may be in flight.
    if (this.#limiter === undefined || (busy && this.#limiter.shared)) this.#refuseOrIdentify(exchange, busy);
    else this.#limit(exchange, this.#limiter, busy);
  }

  #limit(exchange: ServedExchange, limiter: RequestLimiter, busy: boolean): void {
    const answer = limiter.ask(exchange);
    const settle = (taken: TokenAnswer) => {
      if (limiter.admit(exchange, taken)) this.#refuseOrIdentify(exchange, busy);
    };
    if (answer === undefined) this.#refuseOrIdentify(exchange, busy);
    else if (answer instanceof Promise) this.#later(exchange, answer, settle);
    else settle(answer);
  }

  #refuseOrIdentify(exchange: ServedExchange, busy: boolean): void {
    if (exchange.request.rawHeaders.length > 2 * maxHeaders) return exchange.refuse(tooManyHeaders);
    const { cors } = this.#access;
    if (cors?.answerPreflight(exchange) === true) return;
    if (cors?.refuses(exchange) === true) exchange.refuse(new Failure('permission_denied', foreign));
    else if (busy) exchange.refuse(overloaded);
    else if (exchange.upgrading !== undefined && this.#isForeign(exchange))
      exchange.refuse(new Failure('permission_denied', 'pages of this origin may not open a connection here'));
    else this.#identify(exchange);
  }

  /** Browsers let any page open a connection and send its cookies with it: only the server can refuse that. */
  #isForeign({ request: { headers } }: ServedExchange): boolean {
    const { origin, host } = headers;
    if (origin === undefined || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase())) return false;
    return this.#access.cors?.permits(origin) !== true;
  }

  #identify(exchange: ServedExchange): void {
    const verdict = exchange.route.open ? undefined : this.#callerOf(exchange);
    if (verdict === undefined) this.#next(exchange);
    else if (verdict instanceof Promise) this.#later(exchange, verdict, (late) => this.#identified(exchange, late));
    else this.#identified(exchange, verdict);
  }

  /** Who calls by credentials that came after the request. */
  async identifyLate(exchange: ServedExchange, asked: AuthenticationRequest): Promise<Auth | Refused | undefined> {
    const verdict = await this.#callerOf(asked);
    if (isRefused(verdict) && asFailure(verdict.refused).code === 'authentication_required')
      this.#limiter?.countRefused(exchange);
    return verdict;
  }

  #identified(exchange: ServedExchange, verdict: Auth | Refused | undefined): void {
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

  #callerOf(asked: AuthenticationRequest): ReturnType<Recognise> {
    return callerOf(asked, this.#access.verifier, this.#services.recognise);
  }

  #later<T>(exchange: ServedExchange, promise: Promise<T>, next: (value: T) => void): void {
    promise.then(next).catch((error: unknown) => {
      exchange.refuse(asFailure(error, { connector: this.connector }));
    });
  }
}
