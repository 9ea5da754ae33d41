import { createHash, randomUUID } from 'node:crypto';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { SentHeaders } from '../../../platform/net/client/sent-headers.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import { type Lifetime, Lifetimes } from './lifetime.ts';
import type { Shelf } from './shelf.ts';

/** Bytes that the body of an answer may have to be kept. */
const largestBody = 1024 * 1024;
/** Milliseconds that an answer which must be asked for again is kept, and that any is kept at most. */
const keptStale = 24 * 3_600_000;
const longest = 7 * 24 * 3_600_000;
const kept = new Set([200, 203, 204]);
/** Answers that report a failure of the peer (RFC 5861, 4). */
const errors = new Set([500, 502, 503, 504]);
/** Headers of a message that mention caches themselves, or ask for a part. */
const own = /^(?:cache-control|pragma|range|if-.*)$/i;
const credential = /^(?:authorization|proxy-authorization|cookie)$/i;
/** They differ with each request, and say nothing of the answer. */
const passing = new Set(['traceparent', 'tracestate']);

/** A GET as the cache sees it. */
export interface AskedOnce {
  readonly origin: string;
  readonly path: string;
  readonly headers: SentHeaders;
  /** The headers that the message brought. */
  readonly brought: Readonly<Record<string, unknown>> | undefined;
}

/** Sends the request with further headers. Rejects for answers of 400 and more. */
export type Fetch = (headers: readonly string[]) => Promise<HttpAnswer>;

interface KeptContent {
  /** The media type; empty without one. */
  readonly type: string;
  /** Base64. */
  readonly body: string;
}

interface Entry extends Lifetime, KeptContent {
  readonly version: 1;
  readonly at: number;
  /** What the address was marked with then: a write marks it again, and the entry is one of the past. */
  readonly mark: string;
}

interface Found {
  readonly mark: string | undefined;
  readonly entry: Entry | undefined;
}

/** Who counts. */
export interface CacheCounts {
  hit(): void;
  missed(): void;
}

/**
 * Keeps the answers of one peer as their headers say (RFC 9111), as the private cache of this client: what is asked with
 * other headers is another thing. What is not kept is asked for; a shelf that is unavailable keeps nothing.
 */
export class AnswerCache {
  readonly #shelf: Shelf;
  readonly #prefix: string;
  readonly #lifetimes: Lifetimes;
  readonly #log: Log;
  readonly #counts: CacheCounts;
  #isUnavailable = false;

  private constructor(lifetimes: Lifetimes, shelf: Shelf, prefix: string, log: Log, counts: CacheCounts) {
    this.#lifetimes = lifetimes;
    this.#shelf = shelf;
    this.#prefix = prefix;
    this.#log = log;
    this.#counts = counts;
  }

  /** `identity` is all that makes this client different from others that share the shelf; it is kept as a digest only. */
  static async open(
    shelf: Shelf,
    name: string,
    identity: unknown,
    log: Log,
    counts: CacheCounts,
  ): Promise<AnswerCache> {
    const prefix = `http:${name}:${digestOf(JSON.stringify(identity)).slice(0, 16)}`;
    return new AnswerCache(await Lifetimes.load(), shelf, prefix, log, counts);
  }

  /** The answer to a GET: one that is kept, or that `fetch` gives. Rejects as `fetch` does. */
  async answer(asked: AskedOnce, fetch: Fetch): Promise<HttpAnswer> {
    const brought = Object.keys(asked.brought ?? {});
    if (brought.some((name) => own.test(name))) return fetch([]);
    const isForAnyone = brought.some((name) => credential.test(name));
    const [page, key] = this.#keysOf(asked);
    const { mark, entry } = await this.#find(page, key);
    const age = entry === undefined ? 0 : this.#shelf.now() - entry.at;
    if (entry !== undefined && age < entry.fresh) {
      this.#counts.hit();
      return answerOf(entry);
    }
    this.#counts.missed();
    const answer = await this.#ask(key, entry, age, fetch);
    if (answer === undefined) return answerOf(entry as Entry);
    const isConfirmed = answer.status === 304 && entry !== undefined;
    const lifetime =
      isConfirmed || isKept(answer)
        ? this.#lifetimes.of(answer, isForAnyone, isConfirmed ? entry.headers : {})
        : undefined;
    const content = isConfirmed ? entry : contentOf(answer);
    if (lifetime !== undefined) await this.#keep(page, key, mark, { ...content, ...lifetime });
    else if (entry !== undefined) await this.#reach(() => this.#shelf.remove(key));
    return isConfirmed ? answerOf(entry) : answer;
  }

  /** Forgets every answer of an address, since something was changed there. */
  async changed(origin: string, path: string): Promise<void> {
    await this.#reach(() => this.#shelf.set(this.#pageOf(origin, path), randomUUID(), longest));
  }

  /** Undefined: the entry is used although it is not fresh. */
  async #ask(key: string, entry: Entry | undefined, age: number, fetch: Fetch): Promise<HttpAnswer | undefined> {
    try {
      const answer = await fetch(entry === undefined ? [] : conditionsOf(entry));
      return answer.status === 304 && entry !== undefined && !confirms(answer, entry) ? await fetch([]) : answer;
    } catch (error) {
      if (entry !== undefined && age < entry.onError && isError(error)) return undefined;
      if (entry !== undefined && isGone(error)) await this.#reach(() => this.#shelf.remove(key));
      throw error;
    }
  }

  async #find(page: string, key: string): Promise<Found> {
    const read = async () => Promise.all([this.#shelf.get(key), this.#shelf.get(page)]);
    const [text, mark] = (await this.#reach(read)) ?? [];
    const entry = text === undefined ? undefined : entryOf(text);
    // One that is of the future was kept before the clock was set back.
    const isGood = entry !== undefined && entry.mark === mark && entry.at <= this.#shelf.now();
    return { mark, entry: isGood ? entry : undefined };
  }

  /** Only where nothing was changed at the address since it was asked. */
  async #keep(page: string, key: string, mark: string | undefined, what: Lifetime & KeptContent): Promise<void> {
    const { fresh, onError, etag, lastModified, headers, type, body } = what;
    const hasValidator = etag !== undefined || lastModified !== undefined;
    const lifetime = Math.ceil(Math.min(onError + (hasValidator ? keptStale : 0), longest));
    const at = this.#shelf.now();
    await this.#reach(async () => {
      const marked = mark ?? randomUUID();
      if (mark === undefined && !(await this.#shelf.setIfAbsent(page, marked, longest))) return;
      const entry: Entry = { version: 1, at, mark: marked, fresh, onError, etag, lastModified, headers, type, body };
      await this.#shelf.set(key, JSON.stringify(entry), lifetime);
    });
  }

  async #reach<T>(work: () => T | Promise<T>): Promise<T | undefined> {
    try {
      const result = await work();
      this.#isUnavailable = false;
      return result;
    } catch (error) {
      if (!this.#isUnavailable)
        this.#log.warn('answers are not cached: the storage is unavailable', { error: asFailure(error).message });
      this.#isUnavailable = true;
      return undefined;
    }
  }

  #keysOf({ origin, path, headers }: AskedOnce): readonly [page: string, key: string] {
    const page = this.#pageOf(origin, path);
    const pairs: string[] = [];
    for (let at = 0; at < headers.flat.length; at += 2) {
      const name = headers.flat[at] as string;
      if (!passing.has(name)) pairs.push(JSON.stringify([name, headers.flat[at + 1]]));
    }
    return [page, `${page}:${digestOf(pairs.sort().join())}`];
  }

  /** Addresses and headers may hold credentials: only digests of them are shown to a shelf. */
  #pageOf(origin: string, path: string): string {
    return `${this.#prefix}:${digestOf(origin + path)}`;
  }
}

/** A redirect was followed: the answer is not that of the address. Files, and what passes, are kept nowhere. */
function isKept({ status, isRedirected, kept: file, passing: passed, body }: HttpAnswer): boolean {
  const isWhole = isRedirected === undefined && file === undefined && passed === undefined;
  return isWhole && kept.has(status) && body.length <= largestBody;
}

function conditionsOf({ etag, lastModified }: Entry): readonly string[] {
  const conditions: string[] = [];
  if (etag !== undefined) conditions.push('if-none-match', etag);
  if (lastModified !== undefined) conditions.push('if-modified-since', lastModified);
  return conditions;
}

/** Whether a 304 is about what is kept (RFC 9111, 4.3.4). */
function confirms({ headers, isRedirected }: HttpAnswer, { etag }: Entry): boolean {
  const said = headers['etag'];
  return isRedirected === undefined && (said === undefined || bare(String(said)) === bare(etag ?? ''));
}

function bare(etag: string): string {
  return etag.replace(/^W\//, '');
}

function isError(error: unknown): boolean {
  if (!(error instanceof Failure)) return false;
  const { code, upstream } = error;
  if (upstream !== undefined) return errors.has(upstream.status);
  return ['connector_refused', 'connector_timeout', 'peer_unavailable'].includes(code);
}

/** What the peer refuses now is not used later instead of an error. */
function isGone(error: unknown): boolean {
  const status = error instanceof Failure ? (error.upstream?.status ?? 0) : 0;
  return status >= 400 && status < 500 && ![408, 425, 429].includes(status);
}

function contentOf({ headers, body }: HttpAnswer): KeptContent {
  return { type: String(headers['content-type'] ?? ''), body: body.toString('base64') };
}

function answerOf({ type, body }: KeptContent): HttpAnswer {
  const headers = type === '' ? {} : { 'content-type': type };
  return { status: 200, statusText: '', headers, body: Buffer.from(body, 'base64') };
}

/** What is kept is read again as carefully as it may have been written by others. */
function entryOf(text: string): Entry | undefined {
  try {
    const entry = JSON.parse(text) as Entry | null;
    const isWhole =
      entry?.version === 1 &&
      [entry.at, entry.fresh, entry.onError].every((each) => typeof each === 'number') &&
      [entry.mark, entry.body, entry.type].every((each) => typeof each === 'string') &&
      [entry.etag, entry.lastModified].every((each) => each === undefined || typeof each === 'string') &&
      typeof entry.headers === 'object' &&
      entry.headers !== null;
    return isWhole ? entry : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
