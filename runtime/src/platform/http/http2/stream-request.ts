import type { IncomingHttpHeaders } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { breakOff } from '../../net/http2/break-off.ts';
import type { RequestHead } from './request-head.ts';

/** `NO_ERROR` (RFC 9113, 7): the answer is complete, and the rest of the request is not needed. */
const noError = 0;

/**
 * A request of HTTP/2, with what routes read of one of HTTP/1.1. Its body is taken from the stream when it is read, and the
 * caller sends no faster than that.
 */
export class StreamRequest extends Readable {
  readonly method: string;
  url: string;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  readonly httpVersion = '2.0';
  readonly httpVersionMajor = 2;
  readonly httpVersionMinor = 0;
  readonly socket: Socket;
  /** Whether a body follows, whatever its headers say. */
  readonly announcesBody: boolean;
  /** Whether all of it has come and was handed over. */
  complete: boolean;
  /** Bytes of the body that were handed over. */
  received = 0;
  readonly #stream: ServerHttp2Stream;
  readonly #took: (length: number) => void;
  #isRead = false;
  #isLeft = false;

  /** `took` is called with bytes of the body that were read from the stream. */
  constructor(
    head: RequestHead,
    stream: ServerHttp2Stream,
    socket: Socket,
    announcesBody: boolean,
    took: (length: number) => void,
  ) {
    super({ highWaterMark: 64 * 1024 });
    this.method = head.method;
    this.url = head.url;
    this.headers = head.headers;
    this.rawHeaders = head.rawHeaders;
    this.socket = socket;
    this.announcesBody = announcesBody;
    this.complete = !announcesBody;
    this.#stream = stream;
    this.#took = took;
  }

  /** This side has not taken what has come. */
  get isUntaken(): boolean {
    return !this.#isRead || this.readableLength >= this.readableHighWaterMark;
  }

  /** Bytes that have come and wait in the stream. */
  get waiting(): number {
    return this.#stream.readableLength;
  }

  /** The stream is over: what did not come will not come. */
  leave(): void {
    if (this.complete) return;
    this.#isLeft = true;
    this.destroy();
  }

  override _read(): void {
    const stream = this.#stream;
    if (!this.announcesBody) {
      this.push(null);
      return;
    }
    if (this.#isRead) {
      stream.resume();
      return;
    }
    this.#isRead = true;
    stream.on('data', (chunk: Buffer) => {
      this.received += chunk.length;
      this.#took(chunk.length);
      if (!this.push(chunk)) stream.pause();
    });
    stream.on('end', () => {
      // The end of a stream that was reset is not the end of its body.
      if (stream.aborted || stream.rstCode !== noError) return;
      this.complete = true;
      this.push(null);
    });
  }

  /** Errors of the stream do not concern the request, whose readers learn by its close that the caller has gone. */
  override _destroy(_error: Error | null, done: (error?: Error | null) => void): void {
    const stream = this.#stream;
    if (!this.complete && !this.#isLeft && !stream.closed) {
      // Its answer, where that has not come to its end, would be taken for a whole one.
      if (stream.writableEnded) stream.close(noError);
      else breakOff(stream);
    }
    done(null);
  }
}
