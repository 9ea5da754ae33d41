/// <reference path="./http-cache-semantics.d.ts" />
import type CachePolicy from 'http-cache-semantics';
import type { HttpAnswer } from '../../../platform/net/request.ts';

/** What the headers of an answer let a client do with it (RFC 9111); times in milliseconds since the answer came. */
export interface Lifetime {
  /** How long it is used without asking. */
  readonly fresh: number;
  /** How long it is used instead of an error (RFC 5861, 4). */
  readonly onError: number;
  /** What it is asked for again with; undefined: the answer has no such header. */
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
  /** The headers that say all this, for those of a later 304 to be added to. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads the headers of answers. */
export class Lifetimes {
  readonly #Policy: typeof CachePolicy;

  private constructor(Policy: typeof CachePolicy) {
    this.#Policy = Policy;
  }

  static async load(): Promise<Lifetimes> {
    const { default: Policy } = await import('http-cache-semantics');
    return new Lifetimes(Policy);
  }

  /**
   * Undefined for an answer that must not be kept, or that would be of no use. `isForAnyone`: the request had credentials
   * of its message, so that only an answer which may be given to others is kept (RFC 9111, 3.5). `before` are the headers of
   * the answer that a 304 confirms.
   */
  of(
    { status, headers: sent }: Pick<HttpAnswer, 'status' | 'headers'>,
    isForAnyone: boolean,
    before: Lifetime['headers'] = {},
  ): Lifetime | undefined {
    const headers = { ...before, ...relevant(sent) };
    if (headers['vary']?.includes('*')) return undefined;
    const policy = new this.#Policy(
      { method: 'GET', headers: isForAnyone ? { authorization: '-' } : {} },
      { status: status === 304 ? 200 : status, headers },
      // Nothing is guessed: without a lifetime, an answer is asked for again.
      { shared: isForAnyone, cacheHeuristic: 0, immutableMinTimeToLive: 0 },
    );
    const control = headers['cache-control'] ?? '';
    if (!policy.storable() || isContradictory(control)) return undefined;
    const left = (policy.maxAge() - policy.age()) * 1000;
    const isStrict = /\b(?:must-revalidate|proxy-revalidate|no-cache)\b/.test(control);
    const { etag, 'last-modified': lastModified } = headers;
    const fresh = Math.max(left, 0);
    const onError = isStrict ? fresh : Math.max(left + staleIfError(control) * 1000, fresh);
    if (onError === 0 && etag === undefined && lastModified === undefined) return undefined;
    return { fresh, onError, etag, lastModified, headers };
  }
}

const names = ['cache-control', 'expires', 'date', 'age', 'vary', 'pragma', 'etag', 'last-modified'] as const;

/** Directives are the same in any case, which the library does not know. */
function relevant(headers: HttpAnswer['headers']): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (value === undefined) continue;
    const text = Array.isArray(value) ? value.join(', ') : value;
    found[name] = name === 'cache-control' || name === 'pragma' ? text.toLowerCase() : text;
  }
  return found;
}

/** Two lifetimes: which one is meant is not known (RFC 9111, 4.2.1). */
function isContradictory(control: string): boolean {
  const written = [...control.matchAll(/(?:^|[\s,])(s-maxage|max-age)\s*=/g)].map(([, name]) => name);
  return new Set(written).size < written.length;
}

function staleIfError(control: string): number {
  return Number(/(?:^|[\s,])stale-if-error="?(\d{1,9})/.exec(control)?.[1] ?? 0);
}
