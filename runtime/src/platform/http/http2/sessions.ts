import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type { HttpApplication } from '../../../foundation/contracts/http.ts';
import { breakOff } from '../../net/http2/break-off.ts';
import { problemBody, problemType } from '../problem.ts';
import type { LateBodies } from '../sockets/late-bodies.ts';
import { late, limited, type MalformedAnswer } from '../sockets/malformed.ts';
import type { UnsentAnswers } from '../sockets/unsent-answers.ts';
import { FrameBudget } from './frame-budget.ts';
import { requestHead } from './request-head.ts';
import { StreamRequest } from './stream-request.ts';
import { StreamResponse } from './stream-response.ts';

/** Requests at a time on one connection; further streams are refused, and their callers may send them again. */
const mostStreams = 100;
/** Bytes of headers that are decoded, so that those beyond the limit of HTTP/1.1 get an answer and not a reset. */
const mostHeaders = 64 * 1024;
/** Milliseconds in which a connection that is over may still take what was sent. */
const lingering = 1_000;
/** Milliseconds between two looks at what connections send beside requests. */
const lookEvery = 1_000;
const enhanceYourCalm = 11;
const endStream = 1;

/** What is shared with the connections of HTTP/1.1 of a listener. */
export interface SharedWithHttp1 {
  readonly application: () => HttpApplication;
  readonly isDraining: () => boolean;
  readonly unsent: UnsentAnswers;
  readonly late: LateBodies;
  readonly cut: (reason: 'read_timeout' | 'frames') => void;
}

interface Open {
  readonly session: ServerHttp2Session;
  readonly socket: Socket;
  readonly budget: FrameBudget;
  readonly requests: Set<StreamRequest>;
  idle: NodeJS.Timeout | undefined;
}

/**
 * The connections of HTTP/2 of a listener. Each stream is a request like one of HTTP/1.1, under the same limits; what only
 * HTTP/2 has is bounded here: streams at a time, streams that are reset at once, headers, and frames that ask for nothing.
 */
export class Http2Sessions {
  readonly #shared: SharedWithHttp1;
  readonly #http2 = process.getBuiltinModule('node:http2');
  readonly #open = new Set<Open>();
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(shared: SharedWithHttp1) {
    this.#shared = shared;
  }

  /** Takes a connection whose first bytes are those of HTTP/2. */
  take(socket: Socket): void {
    const session = this.#http2.performServerHandshake(socket, {
      maxSessionMemory: 10,
      maxSettings: 32,
      maxHeaderListPairs: 2_000,
      maxOutstandingPings: 10,
      maxSessionInvalidFrames: 100,
      maxSessionRejectedStreams: 100,
      streamResetBurst: 200,
      streamResetRate: 33,
      // Else such a header is left out in silence.
      strictFieldWhitespaceValidation: false,
      settings: { maxConcurrentStreams: mostStreams, maxHeaderListSize: mostHeaders, enablePush: false },
    } as never);
    const open: Open = { session, socket, budget: new FrameBudget(socket), requests: new Set(), idle: undefined };
    this.#open.add(open);
    this.#timer ??= setInterval(() => this.#look(), lookEvery).unref();
    // Without a listener, an error of a connection ends the process.
    socket.on('error', () => socket.destroy());
    // The sockets of servers of HTTP/1.1 stay open when their callers end them, and nothing else tells a session of it.
    socket.once('end', () => session.destroy());
    session.on('error', ({ code = '' }: NodeJS.ErrnoException) => {
      if (code.startsWith('ERR_HTTP2')) this.#shared.cut('frames');
      session.destroy();
    });
    session.on('stream', (...given: unknown[]) => {
      const [stream, , flags, fields] = given as [ServerHttp2Stream, object, number, string[]];
      this.#take(open, stream, flags, fields);
    });
    socket.once('close', () => {
      clearTimeout(open.idle);
      this.#open.delete(open);
      if (!session.destroyed) session.destroy();
      if (this.#open.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
    this.#await(open, this.#shared.application().limits.readTimeout);
  }

  /** Asks every caller to send nothing more; connections end with the answers that they wait for. */
  retire(): void {
    for (const open of this.#open) this.#close(open);
  }

  #close(open: Open): void {
    const { session, socket, requests } = open;
    if (!session.closed && !session.destroyed) session.close();
    if (requests.size > 0) return;
    clearTimeout(open.idle);
    open.idle = setTimeout(() => socket.destroy(), lingering).unref();
  }

  /** Ends a connection that begins no request in time. */
  #await(open: Open, milliseconds: number): void {
    clearTimeout(open.idle);
    open.idle = setTimeout(() => this.#close(open), milliseconds).unref();
  }

  #look(): void {
    for (const { session, budget, requests } of this.#open) {
      let untaken = 0;
      for (const request of requests) untaken += request.waiting;
      if (!budget.isExceeded(untaken)) continue;
      this.#shared.cut('frames');
      session.destroy(undefined, enhanceYourCalm);
    }
  }

  #take(open: Open, stream: ServerHttp2Stream, flags: number, fields: readonly string[]): void {
    const { budget, requests, socket } = open;
    const { readTimeout } = this.#shared.application().limits;
    stream.on('error', () => undefined);
    clearTimeout(open.idle);
    const head = requestHead(fields);
    budget.tookRequest(head.size, fields.length / 2);
    const request = new StreamRequest(head, stream, socket, (flags & endStream) === 0, (length) =>
      budget.tookBody(length),
    );
    const { unsent } = this.#shared;
    const begins = () => {
      if (this.#shared.isDraining()) this.#close(open);
    };
    const response = new StreamResponse(stream, request, { unsent, begins });
    requests.add(request);
    const overdue = request.announcesBody
      ? setTimeout(() => this.#late(request, response, stream), readTimeout).unref()
      : undefined;
    stream.once('close', () => {
      clearTimeout(overdue);
      requests.delete(request);
      response.destroy();
      request.leave();
      if (requests.size > 0) return;
      if (open.session.closed) this.#close(open);
      else this.#await(open, this.#shared.application().limits.idleTimeout);
    });
    if (head.refused !== undefined) this.#refuse(head.refused, request, response, stream);
    else
      this.#shared
        .application()
        .handle(request as unknown as IncomingMessage, response as unknown as ServerResponse as never);
  }

  #late(request: StreamRequest, response: StreamResponse, stream: ServerHttp2Stream): void {
    if (request.complete || request.destroyed) return;
    this.#shared.late.take({
      isComplete: () => request.complete || request.destroyed || stream.closed,
      received: () => request.received,
      isUntaken: () => request.isUntaken,
      end: () => this.#refuse(late, request, response, stream),
    });
  }

  /** As `refuseAndClose` of HTTP/1.1, of one stream: the others of the connection are not its own. */
  #refuse(answer: MalformedAnswer, request: StreamRequest, response: StreamResponse, stream: ServerHttp2Stream): void {
    if (answer === late) this.#shared.cut('read_timeout');
    const { limitMalformed, problems = false } = this.#shared.application();
    const { socket, headers } = request;
    const begun = response.headersSent;
    // A flow that waits for the body, or that answers later, finds its caller gone.
    if (begun) breakOff(stream);
    else response.abandon();
    request.leave();
    if (begun) return;
    const send = ({ status, text, code }: MalformedAnswer, retryAfter: number | undefined) => {
      if (stream.closed || stream.destroyed) return;
      const number = Number.parseInt(status, 10);
      const body = problems
        ? problemBody(number, text, { code })
        : JSON.stringify({ error: text, code, retry_after: retryAfter });
      stream.respond({
        ':status': number,
        'content-type': problems ? problemType : 'application/json; charset=utf-8',
        'content-length': Buffer.byteLength(body),
        'x-content-type-options': 'nosniff',
        ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      });
      const over = setTimeout(() => stream.close(0), lingering).unref();
      stream.once('close', () => clearTimeout(over));
      // What is left of the request is not read.
      stream.end(body, () => stream.close(0));
    };
    const taken = limitMalformed?.({ socket, headers });
    if (taken === undefined) send(answer, undefined);
    else
      void Promise.resolve(taken).then((token) => {
        const refusal = limited(token, answer);
        send(refusal.answer, refusal.retryAfter);
      });
  }
}
