import type { RateLimiter, TokenAnswer } from '../connectors/contract.ts';
import type { Clock } from '../observe/clock.ts';
import { ClientAddress } from './client-address.ts';
import type { Exchange } from './exchange.ts';

type KeyPart = (exchange: Exchange) => string | undefined;

/** Asks the service's rate limiter about requests and answers those that it refuses (supplement-flows 7.5). */
export class RequestLimiter {
  readonly #limiter: RateLimiter;
  readonly #clock: Clock;
  readonly #address: ClientAddress;
  readonly #parts: readonly KeyPart[];

  constructor(limiter: RateLimiter, trustedProxies: readonly string[], clock: Clock) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#address = new ClientAddress(trustedProxies);
    const { keyExtractor } = limiter;
    const words = keyExtractor.startsWith('combined:')
      ? keyExtractor.slice('combined:'.length).split(',')
      : [keyExtractor];
    this.#parts = words.map((word) => partOf(word.trim()));
  }

  /** The answer for a request, or undefined when its path is not limited. */
  ask(exchange: Exchange): TokenAnswer | Promise<TokenAnswer> | undefined {
    if (this.#isExcluded(exchange.path)) return undefined;
    const parts = this.#parts.map((part) => part(exchange) ?? `ip:${this.#address.of(exchange.request)}`);
    return this.#limiter.take(parts.join('|'));
  }

  /** Adds the headers of the answer; false when the request was refused and is done. */
  admit(exchange: Exchange, { allowed, remaining, retryAfter }: TokenAnswer): boolean {
    if (this.#limiter.headers) {
      exchange.addHeader('x-ratelimit-limit', String(this.#limiter.burst));
      exchange.addHeader('x-ratelimit-remaining', String(Math.max(0, Math.floor(remaining))));
      exchange.addHeader('x-ratelimit-reset', String(Math.ceil((this.#clock.now() + retryAfter) / 1000)));
    }
    if (allowed) return true;
    const seconds = Math.max(1, Math.ceil(retryAfter / 1000));
    const body = JSON.stringify({ error: 'rate limit exceeded', code: 'rate_limited', retry_after: seconds });
    exchange.send(429, 'application/json; charset=utf-8', body, ['retry-after', String(seconds)]);
    return false;
  }

  #isExcluded(path: string): boolean {
    return this.#limiter.excludedPaths.some(
      (excluded) => path === excluded || path.startsWith(excluded.endsWith('/') ? excluded : `${excluded}/`),
    );
  }
}

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
