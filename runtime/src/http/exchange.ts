import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Auth, anonymous } from '../contracts/message.ts';
import type { Failure } from '../errors/failure.ts';
import type { HttpEdge, Route } from './edge.ts';
import { refusal } from './refusal.ts';

/** How many bytes of a body that nobody wants are read so that the caller gets to see the answer. */
const discardLimit = 4 * 1024 * 1024;

/**
 * One request and its answer. Whatever happens to it ends in exactly one `send`, which also settles the counts; further
 * answers are ignored.
 */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  /** Query parameters, decoded; a repeated one is a list. */
  readonly query: Readonly<Record<string, string | string[]>>;
  auth: Auth = anonymous;
  #bodyTaken = false;
  /** The caller waits for leave to send its body. */
  #held: boolean;
  /** Names and values in turn that go out with any answer. */
  readonly #headers: string[] = ['x-content-type-options', 'nosniff'];
  readonly #edge: HttpEdge;
  readonly #startedAt: number;
  #timer: NodeJS.Timeout | undefined = undefined;
  #limit:
    | { readonly expire: () => void; readonly whole: number; readonly left: number; readonly since: number }
    | undefined = undefined;
  #controller: AbortController | undefined = undefined;
  #sent = false;

  constructor(
    edge: HttpEdge,
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    params: Readonly<Record<string, string>>,
    query: Readonly<Record<string, string | string[]>>,
  ) {
    this.#edge = edge;
    this.route = route;
    this.request = request;
    this.response = response;
    this.params = params;
    this.query = query;
    this.#held = request.headers.expect?.toLowerCase() === '100-continue';
    this.#startedAt = edge.begin(this);
  }

  /** Milliseconds within which the answer must be sent, pauses aside; undefined without a limit. */
  get timeout(): number | undefined {
    return this.#limit?.whole;
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

  /** Adds a header to whatever answer this request gets. */
  addHeader(name: string, value: string): void {
    this.#headers.push(name, value);
  }

  addHeaders(pairs: readonly string[]): void {
    for (const word of pairs) this.#headers.push(word);
  }

  /** Called by whoever reads the body, before the first byte: a caller that waits for leave to send gets it. */
  takeBody(): void {
    this.#bodyTaken = true;
    if (!this.#held) return;
    this.#held = false;
    this.response.writeContinue();
  }

  /** Called by whoever stops reading before the end: what is left is read past. */
  leaveBody(): void {
    this.#bodyTaken = false;
  }

  /** Fires when the caller goes away before the answer, or when the time for it is over. */
  signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.response.destroyed) this.abort();
      else this.response.once('close', () => this.abort());
    }
    return this.#controller.signal;
  }

  /** Whether `signal` has fired, without making one. */
  get cancelled(): boolean {
    return this.#controller?.signal.aborted ?? this.response.destroyed;
  }

  abort(reason?: Failure): void {
    if (!this.#sent || reason !== undefined) this.#controller?.abort(reason);
  }

  /** Answers with `expired` unless the answer was sent within `milliseconds`. */
  limit(milliseconds: number, expired: () => Failure): void {
    const expire = () => {
      const failure = expired();
      this.refuse(failure);
      this.#controller?.abort(failure);
    };
    this.#limit = { expire, whole: milliseconds, left: milliseconds, since: performance.now() };
    this.#timer = setTimeout(expire, milliseconds);
  }

  /** Stops the time limit; the returned function lets it go on with what was left of it. */
  hold(): () => void {
    const limit = this.#limit;
    if (limit === undefined || this.#sent) return () => undefined;
    clearTimeout(this.#timer);
    const left = limit.left - (performance.now() - limit.since);
    return () => {
      if (this.#sent) return;
      this.#limit = { ...limit, left, since: performance.now() };
      this.#timer = setTimeout(limit.expire, left);
    };
  }

  /** Sends the answer. Without `contentType` it has no body. `headers` win over those added before. */
  send(status: number, contentType: string | undefined, body: string | Uint8Array, headers?: readonly string[]): void {
    if (this.#sent) return;
    this.#sent = true;
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    const { request, response } = this;
    if (this.#isGone) {
      this.#edge.end(this, 499, this.#startedAt);
      return;
    }
    const own = headers === undefined ? this.#headers : overridden(this.#headers, headers);
    let length = 0;
    if (contentType !== undefined) {
      length = typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
      own.push('content-type', contentType, 'content-length', String(length));
    } else if (status !== 204 && status !== 304) own.push('content-length', '0');
    if (!this.#bodyTaken && hasBody(request)) {
      // Nobody knows whether a caller that waits for leave to send will send after this answer.
      if (this.#held) response.shouldKeepAlive = false;
      else discard(request);
    }
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

  /** Answers with a failure, in the words that its caller may read (decisions 55). */
  refuse(failure: Failure, headers?: readonly string[]): void {
    if (this.#sent) return;
    const { status, body, requestId, headers: own } = refusal(failure, this.#edge.production);
    // Overload is counted; a line for each of its refusals would add to it. Nobody hears those who went away.
    const worthALine = failure.code !== 'overloaded' && !this.#isGone;
    if (requestId !== undefined && worthALine) this.#edge.report(this, failure, requestId);
    this.send(status, 'application/json; charset=utf-8', body, headers === undefined ? own : [...own, ...headers]);
  }

  get #isGone(): boolean {
    return this.response.destroyed || this.request.socket.destroyed;
  }
}

/** Whether the request announces a body (RFC 9112, 6.3). */
export function hasBody(request: IncomingMessage): boolean {
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** Reads on so that the connection stays usable, and gives the connection up when there is too much of it. */
function discard(request: IncomingMessage): void {
  let read = 0;
  request.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > discardLimit) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}

function overridden(added: readonly string[], headers: readonly string[]): string[] {
  const names = new Set<string>();
  for (let index = 0; index < headers.length; index += 2) names.add((headers[index] as string).toLowerCase());
  const kept: string[] = [];
  for (let index = 0; index < added.length; index += 2)
    if (!names.has((added[index] as string).toLowerCase()))
      kept.push(added[index] as string, added[index + 1] as string);
  kept.push(...headers);
  return kept;
}
