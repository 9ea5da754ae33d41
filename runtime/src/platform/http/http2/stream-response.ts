import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import { Writable } from 'node:stream';
import { breakOff } from '../../net/http2/break-off.ts';
import type { UnsentAnswers } from '../sockets/unsent-answers.ts';
import type { StreamRequest } from './stream-request.ts';

const noError = 0;

/** Bytes that are handed over at a time: the time limit of an answer begins again when they are taken. */
const pieceLength = 16 * 1024;

/** Headers about the connection, which HTTP/2 does not have (RFC 9113, 8.2.2). */
const ofConnections: ReadonlySet<string> = new Set([
  'connection',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);

/** What the answers of one listener have in common. */
export interface Answering {
  readonly unsent: UnsentAnswers;
  /** Called before the head of each answer. */
  readonly begins: () => void;
}

/** The answer to a request of HTTP/2, with what routes use of one of HTTP/1.1. */
export class StreamResponse extends Writable {
  readonly req: StreamRequest;
  /** As of an answer of HTTP/1.1 without a connection of its own: everything is written through the answer. */
  readonly socket = null;
  headersSent = false;
  shouldKeepAlive = true;
  readonly #stream: ServerHttp2Stream;
  readonly #answering: Answering;
  #isBodiless = false;
  /** The stream belongs to a refusal that is written past this answer. */
  #isAbandoned = false;
  #timer: NodeJS.Timeout | undefined = undefined;

  constructor(stream: ServerHttp2Stream, request: StreamRequest, answering: Answering) {
    super({ highWaterMark: pieceLength });
    this.req = request;
    this.#stream = stream;
    this.#answering = answering;
  }

  /** `pairs` are names and values in turn. Throws what Node throws for headers that an answer of HTTP/1.1 cannot have. */
  writeHead(status: number, pairs: readonly string[]): this {
    this.#answering.begins();
    const headers: OutgoingHttpHeaders = { ':status': status };
    for (let index = 0; index < pairs.length; index += 2) {
      const name = (pairs[index] as string).toLowerCase();
      if (ofConnections.has(name)) continue;
      const value = asField(name, pairs[index + 1] as string);
      const before = headers[name];
      if (before === undefined) headers[name] = value;
      else if (Array.isArray(before)) before.push(value);
      else headers[name] = [before as string, value];
    }
    this.#isBodiless = this.req.method === 'HEAD' || status === 204 || status === 205 || status === 304;
    // The caller has gone, which the close of the stream reports.
    if (!this.#stream.destroyed && !this.#stream.closed)
      this.#stream.respond(headers, { endStream: this.#isBodiless, sendDate: true } as never);
    this.headersSent = true;
    return this;
  }

  flushHeaders(): void {
    // They are sent with the turn of the loop.
  }

  writeContinue(): void {
    if (!this.#stream.closed && !this.#stream.destroyed) this.#stream.additionalHeaders({ ':status': 100 });
  }

  /** Milliseconds without a piece taken until `timeout` is emitted; 0: no limit. */
  setTimeout(milliseconds: number): this {
    clearTimeout(this.#timer);
    this.#timer = milliseconds === 0 ? undefined : setTimeout(() => this.emit('timeout'), milliseconds).unref();
    return this;
  }

  override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
    const flows = super.write(chunk, encoding as BufferEncoding, done as () => void);
    if (!flows && !this.writableEnded) this.#watched().hold(this, this);
    return flows;
  }

  override end(chunk?: unknown, encoding?: unknown, done?: unknown): this {
    super.end(chunk, encoding as BufferEncoding, done as () => void);
    if (this.writableLength > 0 && !this.destroyed) this.#watched().add(this, this);
    return this;
  }

  #watched(): UnsentAnswers {
    const { unsent } = this.#answering;
    unsent.watch(this);
    return unsent;
  }

  /** Ends it without a word to the caller, since something else answers. */
  abandon(): void {
    this.#isAbandoned = true;
    this.destroy();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#isBodiless) done();
    else this.#send(chunk, 0, done);
  }

  #send(chunk: Buffer, from: number, done: (error?: Error | null) => void): void {
    const to = from + pieceLength;
    const isLast = to >= chunk.length;
    const taken = (error?: Error | null) => {
      this.#timer?.refresh();
      if (error || isLast) done(error);
      else if (!this.destroyed) this.#send(chunk, to, done);
    };
    const piece = from === 0 && isLast ? chunk : chunk.subarray(from, to);
    // The last bytes and the end of the stream are one frame.
    if (isLast && this.writableEnded && this.writableLength === chunk.length)
      this.#stream.end(piece, taken as () => void);
    else this.#stream.write(piece, taken);
  }

  override _final(done: (error?: Error | null) => void): void {
    const stream = this.#stream;
    if (this.#isBodiless || stream.writableEnded) done();
    else stream.end(done as () => void);
  }

  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    const stream = this.#stream;
    if (!this.#isAbandoned && !stream.closed && !stream.destroyed) {
      if (!this.writableFinished) breakOff(stream);
      // It is not known whether a caller that waits for `100 Continue` will send after this answer.
      else if (!this.shouldKeepAlive && !this.req.complete) stream.close(noError);
    }
    done(null);
  }
}

/**
 * A value as it may be sent. Node writes whatever it is given into the frames of HTTP/2, where a value with an end of line
 * would become two headers behind the next proxy, and one with a blank at its ends is malformed (RFC 9113, 8.2.1).
 */
function asField(name: string, value: string): string {
  validateHeaderName(name);
  validateHeaderValue(name, value);
  return value.trim();
}
