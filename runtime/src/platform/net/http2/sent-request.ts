import { type ClientHttp2Stream, constants, type OutgoingHttpHeaders } from 'node:http2';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Exchange, HttpAnswer } from '../exchange.ts';
import { breakOff } from './break-off.ts';
import type { MultiplexedConnection } from './multiplexed-connection.ts';

/** A request as it is dispatched. */
export interface Dispatched {
  readonly method: string;
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: string | Uint8Array | Readable | null;
}

/** Headers that belong to a connection of HTTP/1.1 (RFC 9113, 8.2.2), and the host, which has a name of its own. */
const ofConnections = new Set([
  ...['connection', 'host', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'http2-settings', 'te'],
]);

/** Sends one request over a connection and hands its answer over, as undici does for HTTP/1.1. */
export class SentRequest implements Dispatcher.DispatchController {
  readonly #connection: MultiplexedConnection;
  readonly #exchange: Exchange;
  readonly #request: Dispatched;
  /** Sends it again, where that is possible: the peer says that it has not read it. */
  readonly #again: () => boolean;
  #stream: ClientHttp2Stream | undefined;
  #status = 0;
  #hasEnded = false;
  #error: Error | undefined;
  aborted = false;
  reason: Error | null = null;
  rawHeaders: null = null;
  rawTrailers: null = null;

  constructor(connection: MultiplexedConnection, request: Dispatched, exchange: Exchange, again: () => boolean) {
    this.#connection = connection;
    this.#request = request;
    this.#exchange = exchange;
    this.#again = again;
  }

  get paused(): boolean {
    return this.#stream?.isPaused() ?? false;
  }

  /** What cannot be sent fails the exchange. */
  start(authority: string): void {
    this.#exchange.onRequestStart(this);
    if (this.aborted) return this.#leaveBody();
    const { body } = this.#request;
    try {
      const headers = headersOf(this.#request, authority);
      this.#stream = this.#connection.session.request(headers, { endStream: body === null });
    } catch (error) {
      this.#exchange.sent = false;
      this.#leaveBody();
      return this.#exchange.onResponseError(this, error as Error);
    }
    this.#connection.begin();
    this.#follow(this.#stream);
    if (body instanceof Readable) this.#upload(this.#stream, body);
    else if (body !== null) this.#stream.end(body);
  }

  abort(reason: Error): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    if (this.#stream === undefined || this.#stream.destroyed) return;
    if (this.#stream.writableEnded) this.#stream.close(constants.NGHTTP2_CANCEL);
    breakOff(this.#stream);
  }

  pause(): void {
    this.#stream?.pause();
  }

  resume(): void {
    this.#stream?.resume();
  }

  #follow(stream: ClientHttp2Stream): void {
    const exchange = this.#exchange;
    stream.on('response', (headers) => {
      this.#connection.heard++;
      this.#status = Number(headers[':status']);
      const own = Object.entries(headers).filter(([name]) => !name.startsWith(':'));
      exchange.onResponseStart(this, this.#status, Object.fromEntries(own) as HttpAnswer['headers']);
    });
    stream.on('data', (piece: Buffer) => {
      this.#connection.heard++;
      exchange.onResponseData(this, piece);
    });
    stream.on('end', () => {
      this.#hasEnded = true;
      // It answered before it has read everything, and wants no more.
      if (!stream.writableFinished) stream.close(constants.NGHTTP2_NO_ERROR);
    });
    stream.on('error', (error) => {
      this.#error ??= error;
    });
    stream.on('close', () => this.#closed(stream));
  }

  #upload(stream: ClientHttp2Stream, body: Readable): void {
    body.on('error', (error) => {
      this.#error ??= error;
      breakOff(stream);
    });
    body.pipe(stream);
  }

  #closed(stream: ClientHttp2Stream): void {
    this.#leaveBody();
    const isWhole = this.#hasEnded && this.#status > 0 && stream.rstCode === constants.NGHTTP2_NO_ERROR;
    const isUnread =
      this.#status === 0 && (stream.id === undefined || stream.rstCode === constants.NGHTTP2_REFUSED_STREAM);
    try {
      if (this.aborted) return;
      if (isWhole) return this.#exchange.onResponseEnd();
      if (isUnread) {
        this.#exchange.sent = false;
        if (this.#again()) return;
      }
      const error = this.#connection.error ?? this.#error ?? new Error('it ended the request');
      this.#exchange.onResponseError(this, error);
    } finally {
      this.#connection.end();
    }
  }

  #leaveBody(): void {
    const { body } = this.#request;
    if (body instanceof Readable && !body.destroyed) body.destroy();
  }
}

function headersOf({ method, path, headers }: Dispatched, authority: string): OutgoingHttpHeaders {
  const sent: Record<string, string | string[]> = { ':method': method, ':path': path, ':authority': authority };
  for (let at = 0; at < headers.length; at += 2) {
    const name = (headers[at] as string).toLowerCase();
    if (ofConnections.has(name)) continue;
    const value = headers[at + 1] as string;
    const known = sent[name];
    sent[name] = known === undefined ? value : [known, value].flat();
  }
  return sent;
}
