import type { IncomingMessage, ServerResponse } from 'node:http';
import type {
  HttpExchange,
  HttpUpgrade,
  Recognise,
  RefusalForm,
  StillKnown,
  StreamedBody,
  TrustedNetworks,
} from '../../foundation/contracts/http.ts';
import { type Auth, anonymous } from '../../foundation/contracts/message.ts';
import type { RequestCounts } from '../../foundation/contracts/observer.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { type Reading, systemClock } from '../../foundation/observe/clock.ts';
import type { ClientAddress } from './admission/client-address.ts';
import { discard, hasBody } from './body/announced.ts';
import { refusal } from './refusal.ts';
import { overridden } from './response-headers.ts';
import { stillKnownOf } from './still-known.ts';
import { sendPieces } from './stream.ts';
import type { Upgrading } from './upgrading.ts';

const jsonType = 'application/json; charset=utf-8';

/** Headers of every answer. */
const always = ['x-content-type-options', 'nosniff'] as const;

/** What an exchange and its admission need of the route that serves it. */
export interface ExchangeRoute {
  readonly path: string;
  /** Health and metrics are neither counted nor refused when the service is busy. */
  readonly builtin: boolean;
  /** Served without credentials. */
  readonly open: boolean;
  /** Which requests are admitted before they are identified. */
  readonly awaits: HttpUpgrade['awaits'];
  /** How failures are written; undefined: as JSON. */
  readonly refusal: RefusalForm | undefined;
}

/** What an exchange needs of the server that it belongs to. */
export interface ExchangeHost<Route extends ExchangeRoute> {
  readonly addresses: ClientAddress;
  readonly production: boolean;
  readonly recognise: Recognise | undefined;
  /** Begins the count of a request; gives when it began, undefined where it is not counted. */
  begin(exchange: Exchange<Route>): Reading | undefined;
  /** Ends the count of a request. */
  end(exchange: Exchange<Route>, status: number, startedAt: Reading | undefined): void;
  /** Logs a failure of the service under the id that its caller received. */
  report(exchange: Exchange<Route>, failure: Failure, requestId: string): void;
  /** Logs why an answer ended before it was complete. */
  broken(exchange: Exchange<Route>, failure: Failure): void;
}

/** A request and its answer. */
export class Exchange<Route extends ExchangeRoute = ExchangeRoute> implements HttpExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | string[]>>;
  auth: Auth = anonymous;
  /** Admitted before its caller is identified, whose credentials come over the connection. */
  isUnidentified = false;
  /** What it is counted by; undefined: it is not. */
  counts: RequestCounts | undefined = undefined;
  #bodyTaken = false;
  /** The caller waits for `100 Continue` to send its body. */
  #held: boolean;
  /** Names and values in turn that go out with any answer; undefined: those that every exchange has. */
  #headers: string[] | undefined = undefined;
  /** The connection, when the request asks for another protocol. */
  readonly upgrading: Upgrading | undefined;
  readonly #edge: ExchangeHost<Route>;
  readonly #startedAt: Reading | undefined;
  #timer: NodeJS.Timeout | undefined = undefined;
  #limit:
    | { readonly expire: () => void; readonly whole: number; readonly left: number; readonly since: number }
    | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #sent = false;
  /** The answer has begun, and its end is not written. */
  #streaming = false;

  constructor(
    edge: ExchangeHost<Route>,
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string | string[]>>,
    upgrading?: Upgrading,
  ) {
    this.#edge = edge;
    this.route = route;
    this.request = request;
    this.response = response;
    this.params = params;
    this.query = query;
    this.upgrading = upgrading;
    this.#held = request.headers.expect?.toLowerCase() === '100-continue';
    this.#startedAt = edge.begin(this);
  }

  get timeout(): number | undefined {
    return this.#limit?.whole;
  }

  get stillKnown(): StillKnown | undefined {
    return stillKnownOf(this, this.auth, this.#edge.recognise);
  }

  clientAddress(trusted?: TrustedNetworks): string {
    return this.#edge.addresses.of(this.request, trusted);
  }

  get remoteAddress(): string {
    return this.#edge.addresses.withPort(this.request);
  }

  get sent(): boolean {
    return this.#sent;
  }

  /** The path as sent, without the query. */
  get path(): string {
    const url = this.request.url ?? '/';
    const end = url.indexOf('?');
    return end < 0 ? url : url.slice(0, end);
  }

  addHeader(name: string, value: string): void {
    this.#own().push(name, value);
  }

  addHeaders(pairs: readonly string[]): void {
    const own = this.#own();
    for (const word of pairs) own.push(word);
  }

  takeBody(): void {
    this.#bodyTaken = true;
    if (!this.#held) return;
    this.#held = false;
    this.response.writeContinue();
  }

  leaveBody(): void {
    this.#bodyTaken = false;
    // An answer that is sent already has left the body to its reader.
    if (this.#sent) discard(this.request);
  }

  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.response.destroyed) this.abort();
      else this.response.once('close', () => this.abort());
    }
    return this.#controller.signal;
  }

  get cancelled(): boolean {
    return this.#controller?.signal.aborted ?? this.response.destroyed;
  }

  abort(reason?: Failure): void {
    if (!this.#sent || this.#streaming || reason !== undefined) this.#controller?.abort(reason);
  }

  /** Answers with `expired` unless the answer was sent within `milliseconds`. */
  limit(milliseconds: number, expired: () => Failure): void {
    const expire = () => {
      const failure = expired();
      this.refuse(failure);
      this.#controller?.abort(failure);
    };
    this.#limit = { expire, whole: milliseconds, left: milliseconds, since: systemClock.elapsed() };
    this.#timer = setTimeout(expire, milliseconds);
  }

  hold(): () => void {
    const limit = this.#limit;
    if (limit === undefined || this.#sent) return () => undefined;
    clearTimeout(this.#timer);
    const left = limit.left - (systemClock.elapsed() - limit.since);
    return () => {
      if (this.#sent) return;
      this.#limit = { ...limit, left, since: systemClock.elapsed() };
      this.#timer = setTimeout(limit.expire, left);
    };
  }

  send(status: number, contentType: string | undefined, body: string | Uint8Array, headers?: readonly string[]): void {
    if (!this.#begin()) return;
    let length = 0;
    let own: string[];
    if (contentType !== undefined) {
      length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
      if (headers === undefined && this.#headers === undefined)
        // Most answers: a list that is written out at once is not grown.
        own = [always[0], always[1], 'content-type', contentType, 'content-length', String(length)];
      else {
        own = this.#with(headers);
        own.push('content-type', contentType, 'content-length', String(length));
      }
    } else {
      own = this.#with(headers);
      if (status !== 204 && status !== 304) own.push('content-length', '0');
    }
    const { response } = this;
    try {
      response.writeHead(status, own);
      // Text of ASCII alone is the same in both encodings, and written faster in this one.
      if (contentType === undefined) response.end();
      else response.end(body, length === body.length ? 'latin1' : 'utf8');
    } catch (error) {
      response.destroy();
      throw error;
    } finally {
      this.#edge.end(this, status, this.#startedAt);
    }
  }

  stream(status: number, contentType: string, body: StreamedBody, headers?: readonly string[]): void {
    const iterator = body.pieces[Symbol.asyncIterator]();
    if (!this.#begin()) {
      void iterator.return?.().catch(() => undefined);
      return;
    }
    const own = this.#with(headers);
    own.push('content-type', contentType);
    if (body.length !== undefined) own.push('content-length', String(body.length));
    const { response } = this;
    try {
      response.writeHead(status, own);
    } catch (error) {
      response.destroy();
      this.#edge.end(this, status, this.#startedAt);
      void iterator.return?.().catch(() => undefined);
      throw error;
    }
    if (body.isEndless === true) {
      this.#edge.end(this, status, this.#startedAt);
      // Nothing of the exchange is kept, so that the generation it began in can end.
      void sendPieces(response, iterator, body);
      return;
    }
    this.#streaming = true;
    void sendPieces(response, iterator, body).then((failure) => {
      this.#streaming = false;
      if (failure !== undefined) this.#edge.broken(this, asFailure(failure));
      this.#edge.end(this, status, this.#startedAt);
    });
  }

  keepOpen(status: number, contentType: string, headers?: readonly string[]): ServerResponse | undefined {
    if (!this.#begin()) return undefined;
    const own = this.#with(headers);
    own.push('content-type', contentType);
    const { response } = this;
    try {
      response.writeHead(status, own);
      response.flushHeaders();
    } catch (error) {
      response.destroy();
      throw error;
    } finally {
      this.#edge.end(this, status, this.#startedAt);
    }
    // Node keeps the request as long as its answer: what it said, credentials among it, has been read.
    const { request } = this;
    request.url = '';
    request.headers = {};
    request.rawHeaders = [];
    return response;
  }

  refuse(error: unknown, headers?: readonly string[], form: RefusalForm = this.route.refusal ?? refusal): void {
    if (this.#sent) return;
    const failure = asFailure(error);
    const { status, body, contentType = jsonType, requestId, headers: own } = form(failure, this.#edge.production);
    // Overload is counted; a line for each of its refusals would add to it. Callers that went away get no answer.
    const worthALine = failure.code !== 'overloaded' && !this.#isGone;
    if (requestId !== undefined && worthALine) this.#edge.report(this, failure, requestId);
    this.send(status, contentType, body, headers === undefined ? own : [...own, ...headers]);
  }

  /** The connection is handed over, and no answer follows. Gives the headers that were added to it. */
  handOver(): readonly string[] {
    this.#sent = true;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    const { socket } = this.response;
    if (socket !== null) this.response.detachSocket(socket);
    this.#edge.end(this, 101, this.#startedAt);
    return this.#own();
  }

  #own(): string[] {
    return (this.#headers ??= [...always]);
  }

  /** The headers of the exchange with those of its answer. */
  #with(headers: readonly string[] | undefined): string[] {
    return headers === undefined ? this.#own() : overridden(this.#headers ?? always, headers);
  }

  /** Whether the answer is sent now: it is the first, and its caller is there. */
  #begin(): boolean {
    if (this.#sent) return false;
    this.#sent = true;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    if (this.#isGone) {
      this.#edge.end(this, 499, this.#startedAt);
      return false;
    }
    const { request } = this;
    if (!this.#bodyTaken && hasBody(request)) {
      // It is not known whether a caller that waits for `100 Continue` will send after this answer.
      if (this.#held) this.response.shouldKeepAlive = false;
      else discard(request);
    }
    return true;
  }

  get #isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }
}
