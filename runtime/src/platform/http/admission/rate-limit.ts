import type { IncomingMessage } from 'node:http';
import type { AuthenticationRequest, RateLimiter } from '../../../foundation/contracts/http.ts';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Exchange } from '../exchange.ts';
import { type ClientAddress, callerNetwork } from './client-address.ts';

type Peer = Pick<IncomingMessage, 'socket' | 'headers'>;
/** What a limit knows of a request; of protocols other than HTTP as far as they have it. */
export interface LimitedRequest extends Pick<AuthenticationRequest, 'path' | 'query'> {
  readonly request: Peer;
}

type KeyPart = (asked: LimitedRequest) => string | undefined;

/** Most addresses that are remembered for having guessed too often; beyond it the oldest is forgotten. */
const mostGuessers = 10_000;

/** Asks the service's rate limiter about requests and answers those that it refuses. */
export class RequestLimiter {
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #address: ClientAddress;
  readonly #parts: readonly KeyPart[];
  /** Whether callers choose their bucket themselves, so that addresses have one of their own for wrong credentials. */
  readonly #chosen: boolean;
  /** Addresses whose bucket of wrong credentials is empty, with the time of the next token. */
  readonly #guessers = new Map<string, number>();

  constructor(limiter: RateLimiter, addresses: ClientAddress, clock: Clock) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#address = addresses;
    const { keyExtractor } = limiter;
    const words = keyExtractor.startsWith('combined:')
      ? keyExtractor.slice('combined:'.length).split(',')
      : [keyExtractor];
    this.#chosen = words.some((word) => /^(header|query):/.test(word.trim()));
    this.#parts = words.map((word) => partOf(word.trim()));
  }

  /** Whether a question costs a wait. */
  get shared(): boolean {
    return this.#limiter.shared;
  }

  /** The answer for a request, or undefined when its path is not limited. */
  ask(asked: LimitedRequest): TokenAnswer | Promise<TokenAnswer> | undefined {
    if (this.#isExcluded(asked.path)) return undefined;
    const retryAfter = this.#guessers.size === 0 ? 0 : this.#heldBack(asked.request);
    if (retryAfter > 0) return { allowed: false, remaining: 0, retryAfter };
    const parts = this.#parts.map((part) => part(asked) ?? this.#caller(asked.request));
    return this.#limiter.take(parts.join('|'));
  }

  /** The answer for bytes that are not a request, and have nothing but an address. */
  askMalformed(peer: Peer): TokenAnswer | Promise<TokenAnswer> {
    return this.#limiter.take(this.#parts.map(() => this.#caller(peer)).join('|'));
  }

  /**
   * Counts a credential that was refused against its address, where the key of the limit is what the caller wrote: each
   * guess would have a bucket of its own. When the bucket is empty, the address is refused before its next credential is
   * looked at.
   */
  countRefused(asked: LimitedRequest): void {
    if (!this.#chosen || this.#isExcluded(asked.path)) return;
    const caller = this.#caller(asked.request);
    const settle = ({ remaining, retryAfter }: TokenAnswer) => {
      if (remaining >= 1 || retryAfter <= 0) return;
      if (this.#guessers.size >= mostGuessers)
        for (const oldest of this.#guessers.keys()) {
          this.#guessers.delete(oldest);
          break;
        }
      this.#guessers.set(caller, this.#clock.elapsed() + retryAfter);
    };
    const taken = this.#limiter.take(`refused:${caller}`);
    if (taken instanceof Promise) void taken.then(settle);
    else settle(taken);
  }

  /** Milliseconds until the next credential of this address is looked at. */
  #heldBack(peer: Peer): number {
    const caller = this.#caller(peer);
    const until = this.#guessers.get(caller);
    if (until === undefined) return 0;
    const left = until - this.#clock.elapsed();
    if (left <= 0) this.#guessers.delete(caller);
    return left;
  }

  #caller(peer: Peer): string {
    return `ip:${callerNetwork(this.#address.of(peer))}`;
  }

  /** Headers that tell a caller of its limit, names and values in turn. */
  headersOf({ remaining, retryAfter }: TokenAnswer): readonly string[] {
    if (!this.#limiter.headers) return [];
    const left = String(Math.max(0, Math.floor(remaining)));
    const reset = String(Math.ceil((this.#clock.now() + retryAfter) / 1000));
    const { burst } = this.#limiter;
    return ['x-ratelimit-limit', String(burst), 'x-ratelimit-remaining', left, 'x-ratelimit-reset', reset];
  }

  /** Adds the headers of the answer; false when the request was refused and is done. */
  admit(exchange: Exchange, answer: TokenAnswer): boolean {
    if (this.#limiter.headers) exchange.addHeaders(this.headersOf(answer));
    if (answer.allowed) return true;
    const { retryAfter } = answer;
    if (exchange.route.refusal !== undefined) {
      exchange.refuse(new Failure('rate_limited', limitExceeded, { retryAfter }));
      return false;
    }
    const seconds = Math.max(1, Math.ceil(retryAfter / 1000));
    const body = JSON.stringify({ error: limitExceeded, code: 'rate_limited', retry_after: seconds });
    exchange.send(429, 'application/json; charset=utf-8', body, ['retry-after', String(seconds)]);
    return false;
  }

  #isExcluded(path: string): boolean {
    return this.#limiter.excludedPaths.some(
      (excluded) => path === excluded || path.startsWith(excluded.endsWith('/') ? excluded : `${excluded}/`),
    );
  }
}

/** What a caller is answered that is refused. */
export const limitExceeded = 'rate limit exceeded';

/** Reads one part of a key; undefined falls back to the address. */
function partOf(word: string): KeyPart {
  const [kind, name = ''] = word.split(':');
  if (kind === 'header') {
    const header = name.toLowerCase();
    return ({ request }) => {
      const value = request.headers[header];
      return value === undefined ? undefined : `header:${Array.isArray(value) ? value[0] : value}`;
    };
  }
  if (kind === 'query')
    return ({ query }) => {
      const value = query[name];
      return value === undefined ? undefined : `query:${Array.isArray(value) ? value[0] : value}`;
    };
  return () => undefined;
}
