import { type buildConnector, Pool } from 'undici';
import { Content } from '../../foundation/contracts/content.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { AddressPolicy } from './addresses/address-policy.ts';
import type { HttpRequest } from './client/http-request.ts';
import { decompress, decompressKept, decompressPassing } from './decompress.ts';
import { Exchange, type HttpAnswer, HttpFailure } from './exchange.ts';
import { fired } from './fired.ts';
import { ConnectionUse } from './http2/connection-use.ts';
import { NegotiatedPool } from './http2/negotiated-pool.ts';
import { follow } from './redirect.ts';
import { defaultTls, type TlsMaterial } from './tls.ts';

export { documentLimit, type HttpAnswer, HttpFailure } from './exchange.ts';

export interface HttpClientOptions {
  readonly tls?: TlsMaterial | undefined;
  /** Bytes that the body of an answer may have, also after decompression. */
  readonly maxResponse: number;
  /** Sockets per origin; requests beyond it wait until their deadline. */
  readonly connections?: number | undefined;
  /** Which hosts it may connect to. Absent: any, since the configuration writes them. */
  readonly addresses?: AddressPolicy | undefined;
  /** HTTP/2 is spoken where the peer chooses it during the TLS handshake; `known`: in cleartext too. */
  readonly http2?: boolean | 'known' | undefined;
}

/** What sends requests, over whichever version of HTTP. */
export type HttpSender = Pick<HttpClient, 'send' | 'ended' | 'close'>;

/** Bytes that the head of an answer may have. */
const maxHeaderSize = 64 * 1024;

/**
 * Sends requests over kept-alive connections, one pool per origin, of HTTP/1.1 unless HTTP/2 is asked for and chosen. Redirects are followed at most three times and
 * only within the origin, so credentials go nowhere else and no answer can point this service at an internal address.
 */
export class HttpClient {
  readonly #options: HttpClientOptions;
  readonly #pools = new Map<string, Pool | NegotiatedPool>();
  readonly #ended = new AbortController();
  #finished: Promise<unknown> | undefined;

  constructor(options: HttpClientOptions) {
    this.#options = options;
  }

  /** Resolves with any answer, whatever its status. Rejects with HttpFailure when there was no answer, or not all of it. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    if (this.#ended.signal.aborted) throw new HttpFailure('connector_refused', 'the client is closed', false);
    let answer = await this.#exchange(request);
    if (answer.status >= 300 && answer.status < 400 && request.redirects !== false)
      answer = await follow(request, answer, (next) => this.#exchange(next));
    const encoding = answer.headers['content-encoding'];
    if (encoding === undefined || request.encoded === true) return answer;
    try {
      if (answer.kept !== undefined)
        return { ...answer, kept: await decompressKept(answer.kept, String(encoding), this.#limitOf(request)) };
      if (answer.passing !== undefined)
        return { ...answer, passing: decompressPassing(answer.passing, String(encoding), this.#limitOf(request)) };
      if (answer.body.length === 0) return answer;
      const body = await decompress(answer.body, String(encoding), this.#limitOf(request));
      return { ...answer, body };
    } catch (error) {
      throw error instanceof Failure ? new HttpFailure(error.code, error.message, true, { cause: error }) : error;
    }
  }

  /** Fires when the client is closed: nothing is sent any more. */
  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Lets exchanges under way finish, until `cut` fires, then closes every socket. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#ended.abort();
    const pools = [...this.#pools.values()];
    this.#finished ??= Promise.all(pools.map((pool) => pool.close()));
    await Promise.race([this.#finished, fired(cut)]);
    if (cut?.aborted === true) await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #exchange(request: HttpRequest): Promise<HttpAnswer> {
    const { method, origin, path, signal, deadline } = request;
    if (signal?.aborted) return Promise.reject(cancelled(false, signal));
    return new Promise((resolve, reject) => {
      const release = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
      };
      const { keep, pass = false, silence } = request;
      const use = this.#options.http2 ? new ConnectionUse() : undefined;
      const exchange = new Exchange(
        { peer: origin, limit: this.#limitOf(request), keep, pass, silence, deadline, use },
        (answer) => {
          release();
          resolve(answer);
        },
        (failure) => {
          release();
          reject(failure);
        },
      );
      const abort = () => {
        exchange.fail('cancelled', 'the request was cancelled', { cause: signal?.reason });
        use?.cancelled();
      };
      const late = () => {
        exchange.fail('connector_timeout', `${origin} did not answer within ${Math.round(deadline)} ms`);
        use?.late();
      };
      const timer = setTimeout(late, deadline);
      signal?.addEventListener('abort', abort, { once: true });
      const { body, headers } = sendable(request);
      try {
        const pool = this.#pool(origin);
        const dispatched = { method, path, headers, body };
        if (pool instanceof NegotiatedPool) pool.dispatch(dispatched, exchange, use as ConnectionUse);
        else pool.dispatch(dispatched, exchange);
      } catch (error) {
        exchange.onResponseError(undefined as never, error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #limitOf({ maxResponse }: HttpRequest): number {
    return Math.min(maxResponse ?? Number.POSITIVE_INFINITY, this.#options.maxResponse);
  }

  #pool(origin: string): Pool | NegotiatedPool {
    let pool = this.#pools.get(origin);
    if (pool === undefined) {
      const { addresses, tls, connections = 256, http2 } = this.#options;
      addresses?.check(new URL(origin).hostname);
      const http1 = (connect: buildConnector.BuildOptions | buildConnector.connector) =>
        new Pool(origin, {
          connections,
          pipelining: 1,
          allowH2: false,
          maxHeaderSize,
          headersTimeout: 0,
          bodyTimeout: 0,
          connect,
        });
      if (http2 === 'known' || (http2 === true && origin.startsWith('https:')))
        pool = new NegotiatedPool(origin, { tls, addresses, connections, http1 });
      else {
        const lookup = addresses?.lookup;
        pool = http1({ ...(tls ?? defaultTls), timeout: 10_000, ...(lookup && { lookup }) });
      }
      this.#pools.set(origin, pool);
    }
    return pool;
  }
}

/** Body and headers as they are dispatched. A file whose length is known is not sent in chunks. */
function sendable({ body, headers }: HttpRequest) {
  if (!(body instanceof Content)) return { body: body ?? null, headers: headers as string[] };
  const { bytes } = body;
  const length = bytes.size === undefined ? [] : ['content-length', String(bytes.size)];
  return { body: bytes.inMemory ?? bytes.stream(), headers: [...headers, ...length] };
}

function cancelled(sent: boolean, signal: AbortSignal): HttpFailure {
  return new HttpFailure('cancelled', 'the request was cancelled', sent, { cause: signal.reason });
}
