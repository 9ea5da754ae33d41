import { createHash } from 'node:crypto';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { CredentialSource, Credentials } from '../../../../platform/aws/credentials/credentials.ts';
import type { Signer } from '../../../../platform/aws/signer.ts';
import { single } from '../../../../platform/net/client/answer.ts';
import type { RetryPolicy } from '../../../../platform/net/client/retry.ts';
import { retryAfter } from '../../../../platform/net/client/retry.ts';
import { type HttpAnswer, type HttpClient, HttpFailure } from '../../../../platform/net/request.ts';
import type { Exchange } from '../../store.ts';
import { type BucketAddress, encodeKey, encodePart } from './address.ts';
import { asHttpFailure, endedCredentials, failureOf, isTemporary, refusalIn } from './failure.ts';

/** One request about an object, or about the bucket. */
export interface Ask {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Of the object; undefined: the bucket. */
  readonly key: string | undefined;
  /** As flows call it, for messages. */
  readonly path: string;
  /** The same of the object that is copied, if one is. */
  readonly source?: string | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  /** By lower-case name; already checked. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: Uint8Array | undefined;
  /** SHA-256 of the body in hexadecimal; computed when absent. */
  readonly hash?: string | undefined;
  /** Repeating it changes nothing twice. */
  readonly isSafe: boolean;
  /** The body of the answer passes: `passing` has it, or the answer is empty. */
  readonly passes?: boolean | undefined;
  /** It is refused where its condition does not hold, which is the caller's. */
  readonly isConditional?: boolean | undefined;
  /** The server may work on it for long before it answers, after a head that says 200. */
  readonly isLong?: boolean | undefined;
}

export interface ClientOptions {
  readonly address: BucketAddress;
  readonly http: HttpClient;
  readonly signer: Signer;
  readonly credentials: CredentialSource;
  readonly retry: RetryPolicy;
  /** Milliseconds for one answer. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly log: Log;
  readonly userAgent: string;
}

/** Bytes of an answer that is read: a list of 1,000 keys of 1,024 bytes, each three times as long when it is encoded. */
const largestAnswer = 16 * 1024 * 1024;
/** Milliseconds that two clocks may differ: servers take up to 15 minutes. */
const tolerated = 5 * 60_000;
/** How much longer a server may work on what it does alone, such as a copy. */
const long = 10;

const emptyHash = createHash('sha256').digest('hex');

/** Asks an object store for one bucket, by signed requests. */
export class S3Client {
  readonly #options: ClientOptions;
  /** What the clock of the server is ahead of that of this machine, in milliseconds. */
  #ahead = 0;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  get retry(): RetryPolicy {
    return this.#options.retry;
  }

  get clock(): Clock {
    return this.#options.clock;
  }

  get log(): Log {
    return this.#options.log;
  }

  get bucket(): string {
    return this.#options.address.bucket;
  }

  /**
   * Resolves with a good answer. Sends again where that may help and changes nothing twice, with other credentials where
   * these have ended, and with the time of the server where the clocks differ.
   */
  async send(ask: Ask, exchange: Exchange): Promise<HttpAnswer> {
    const { retry, credentials: source, address } = this.#options;
    for (let tried = 1, isRenewed = false, isSet = false; ; tried++) {
      const credentials = await source.get(exchange.signal);
      let failure: Failure;
      let wait: number | undefined;
      try {
        const answer = await this.#exchange(ask, credentials, exchange);
        const refusal = await refusalIn(answer, credentials, this.clock.now());
        if (refusal === undefined) {
          if (ask.isLong !== true || answer.body.length > 0) return answer;
          throw new HttpFailure('connector_refused', 'the object store answered nothing', true);
        }
        if (!isRenewed && endedCredentials.includes(refusal.code) && source.refused(credentials)) {
          isRenewed = true;
          tried--;
          continue;
        }
        if (refusal.status === 403 && this.#followClock(answer) && !isSet) {
          isSet = true;
          tried--;
          continue;
        }
        failure = failureOf(refusal, ask, address.region);
        wait = isTemporary(refusal) ? retryAfter(asHttpFailure(refusal), tried, retry, ask.isSafe) : undefined;
      } catch (error) {
        exchange.signal.throwIfAborted();
        if (!(error instanceof HttpFailure)) throw error;
        failure = error;
        wait = retryAfter(error, tried, retry, ask.isSafe);
      }
      if (wait === undefined) throw failure;
      await this.pause(wait, exchange, failure);
    }
  }

  /** Waits before another attempt. Rejects with the failure when the client is closed, and with the end of the call. */
  async pause(wait: number, { signal }: Exchange, failure: Failure): Promise<void> {
    const { clock, http } = this.#options;
    await clock.sleep(wait, AbortSignal.any([signal, http.ended])).catch(() => {
      signal.throwIfAborted();
      throw failure;
    });
  }

  /** A link to an object that is valid for so many milliseconds; the headers are bound to it. */
  async link(
    ask: Pick<Ask, 'method' | 'key' | 'query' | 'headers'>,
    lifetime: number,
    signal: AbortSignal,
  ): Promise<string> {
    const { signer, credentials: source, clock } = this.#options;
    const credentials = await source.get(signal);
    const now = clock.now() + this.#ahead;
    const seconds = Math.max(1, Math.floor(lifetime / 1000));
    const { method, headers = {} } = ask;
    return signer.link({ method, url: this.#url(ask), headers }, seconds, credentials, now);
  }

  async #exchange(ask: Ask, credentials: Credentials, { signal }: Exchange): Promise<HttpAnswer> {
    const { address, signer, http, clock, requestTimeout, userAgent } = this.#options;
    const { method, headers = {}, body, hash = body === undefined ? emptyHash : hashOf(body), passes = false } = ask;
    const url = this.#url(ask);
    const now = clock.now() + this.#ahead;
    const signed = await signer.headers({ method, url, headers }, hash, credentials, now);
    return http.send({
      method,
      origin: address.origin,
      path: url.slice(address.origin.length),
      headers: [...signed].flat().concat('user-agent', userAgent),
      body,
      deadline: ask.isLong === true ? requestTimeout * long : requestTimeout,
      signal,
      redirects: false,
      ...(passes && { pass: true, silence: requestTimeout, encoded: true }),
      // The length that is said to HEAD is that of the object, of which nothing comes.
      ...(!passes && method !== 'HEAD' && { maxResponse: largestAnswer }),
    });
  }

  #url({ key, query = {} }: Pick<Ask, 'key' | 'query'>): string {
    const { origin, root } = this.#options.address;
    const path = key === undefined ? root || '/' : `${root}/${encodeKey(key)}`;
    const pairs = Object.entries(query).map(([name, value]) => `${encodePart(name)}=${encodePart(value)}`);
    return `${origin}${path}${pairs.length === 0 ? '' : `?${pairs.join('&')}`}`;
  }

  /** Takes over the time of the server where it refuses that of this machine. Whether it did. */
  #followClock({ headers }: HttpAnswer): boolean {
    const { clock, log } = this.#options;
    const theirs = Date.parse(single(headers['date']) ?? '');
    if (Number.isNaN(theirs)) return false;
    const ahead = theirs - clock.now();
    if (Math.abs(ahead - this.#ahead) < tolerated) return false;
    this.#ahead = Math.abs(ahead) < tolerated ? 0 : ahead;
    const seconds = Math.round(Math.abs(ahead) / 1000);
    const message = 'the clock of this machine differs from that of the object store, whose time is signed';
    log.warn(message, { seconds, behind: ahead > 0 });
    return true;
  }
}

function hashOf(body: Uint8Array): string {
  return createHash('sha256').update(body).digest('hex');
}
