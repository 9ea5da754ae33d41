import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import { Failure } from '../errors/failure.ts';
import type { FailureCode } from '../errors/failures.ts';
import { fired } from './fired.ts';
import { documentLimit, type HttpAnswer, HttpFailure, type HttpRequest, type HttpSender } from './request.ts';
import { defaultTls } from './tls.ts';

/** Streams that the peer has not begun with. */
const untouched = [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_ENHANCE_YOUR_CALM];
/** Headers that belong to a connection of HTTP/1.1. */
const ofConnections = new Set(['connection', 'host', 'accept-encoding']);
/** Milliseconds until a connection is made. */
const connectTime = 10_000;

/**
 * Sends small requests over HTTP/2, one connection for each origin, which is kept. One that was lost, that its peer is about to
 * end, or over which nothing came in time, is replaced with the next request.
 */
export class Http2Client implements HttpSender {
  readonly #sessions = new Map<string, ClientHttp2Session>();
  readonly #open = new Set<ClientHttp2Session>();
  /** Why connections broke. */
  readonly #errors = new WeakMap<ClientHttp2Session, Error>();
  readonly #ended = new AbortController();

  get ended(): AbortSignal {
    return this.#ended.signal;
  }

  /** Resolves with any answer, also one that redirects. Rejects as `HttpClient` does. */
  send(request: HttpRequest): Promise<HttpAnswer> {
    const { origin, deadline, signal } = request;
    if (this.#ended.signal.aborted)
      return Promise.reject(new HttpFailure('connector_refused', 'the client is closed', false));
    if (signal?.aborted) return Promise.reject(new HttpFailure('cancelled', 'the request was cancelled', false));
    const session = this.#session(origin);
    return new Promise((resolve, reject) => {
      const stream = session.request(headersOf(request));
      const exchange = new StreamExchange(stream, session, {
        peer: origin,
        limit: request.maxResponse ?? documentLimit,
        broken: () => this.#errors.get(session),
      });
      const late = () => {
        // What was silent for a whole request is not asked again.
        this.#retire(origin, session);
        exchange.fail('connector_timeout', `${origin} did not answer within ${Math.round(deadline)} ms`);
      };
      const timer = setTimeout(late, deadline);
      const abort = () => exchange.fail('cancelled', 'the request was cancelled');
      signal?.addEventListener('abort', abort, { once: true });
      exchange.outcome.then(resolve, reject).finally(() => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        if (session !== this.#sessions.get(origin) && !session.destroyed) session.close();
      });
      stream.end(request.body);
    });
  }

  /** Lets exchanges under way finish, until `cut` fires. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#ended.abort();
    this.#sessions.clear();
    const closed = [...this.#open].map((session) => new Promise<void>((resolve) => session.once('close', resolve)));
    for (const session of this.#open) session.close();
    await Promise.race([Promise.all(closed), fired(cut)]);
    for (const session of this.#open) session.destroy();
  }

  #session(origin: string): ClientHttp2Session {
    const kept = this.#sessions.get(origin);
    if (kept !== undefined && !kept.closed && !kept.destroyed) return kept;
    const session = connect(origin, { ...defaultTls, settings: { enablePush: false } });
    const retire = () => this.#retire(origin, session);
    const timer = setTimeout(() => session.destroy(new Error('no connection in time')), connectTime);
    session.once('connect', () => clearTimeout(timer));
    session.on('goaway', retire);
    // Each of its streams reports the error.
    session.on('error', (error) => {
      this.#errors.set(session, error);
      retire();
    });
    session.once('close', () => {
      clearTimeout(timer);
      retire();
      this.#open.delete(session);
    });
    this.#sessions.set(origin, session);
    this.#open.add(session);
    return session;
  }

  /** It takes no further requests; those under way are finished. */
  #retire(origin: string, session: ClientHttp2Session): void {
    if (this.#sessions.get(origin) === session) this.#sessions.delete(origin);
  }
}

interface ExchangeOptions {
  readonly peer: string;
  /** Bytes that the body may have. */
  readonly limit: number;
  /** Why the connection broke. */
  readonly broken: () => Error | undefined;
}

/** One request and its answer. */
class StreamExchange {
  readonly outcome: Promise<HttpAnswer>;
  readonly #stream: ClientHttp2Stream;
  readonly #session: ClientHttp2Session;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (failure: HttpFailure) => void;
  #headers: Record<string, string | string[] | undefined> = {};
  #status = 0;

  constructor(stream: ClientHttp2Stream, session: ClientHttp2Session, { peer, limit, broken }: ExchangeOptions) {
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    this.outcome = promise;
    this.#stream = stream;
    this.#session = session;
    this.#resolve = resolve;
    this.#reject = reject;
    const pieces: Buffer[] = [];
    let size = 0;
    stream.on('response', (headers) => {
      this.#status = Number(headers[':status']);
      this.#headers = headers as Record<string, string | string[] | undefined>;
    });
    stream.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= limit) pieces.push(piece);
      else this.fail('connector_failed', `the answer of ${peer} is larger than ${limit} bytes`);
    });
    stream.on('error', (error) => this.#broken(peer, broken() ?? error));
    stream.on('close', () => {
      if (this.#status === 0 || stream.rstCode !== constants.NGHTTP2_NO_ERROR)
        return this.#broken(peer, broken() ?? new Error('it ended the connection'));
      const declared = Number(this.#headers['content-length'] ?? size);
      if (declared !== size) return this.#broken(peer, new Error('it sent another length than it declared'));
      this.#resolve({ status: this.#status, statusText: '', headers: this.#headers, body: Buffer.concat(pieces) });
    });
  }

  fail(code: FailureCode, message: string, cause?: unknown): void {
    this.#reject(new HttpFailure(code, message, this.#wasSent, { cause }));
    this.#stream.close(constants.NGHTTP2_CANCEL);
    // A connection that is not made yet would keep it.
    if (this.#session.connecting) this.#session.destroy();
  }

  #broken(peer: string, error: Error): void {
    if (error instanceof Failure) return this.#reject(error as HttpFailure);
    const says = this.#wasSent ? `the connection to ${peer} broke` : `cannot reach ${peer}`;
    this.#reject(new HttpFailure('connector_refused', `${says}: ${error.message}`, this.#wasSent, { cause: error }));
  }

  get #wasSent(): boolean {
    return !this.#session.connecting && !this.#stream.pending && !untouched.includes(this.#stream.rstCode ?? 0);
  }
}

function headersOf({ method, path, headers }: HttpRequest): Record<string, string> {
  const sent: Record<string, string> = { ':method': method, ':path': path };
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    if (!ofConnections.has(name)) sent[name] = headers[at + 1] as string;
  }
  return sent;
}
