import type { ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import type * as Grpc from '@grpc/grpc-js';
import { LateBodies } from '../../../platform/http/sockets/late-bodies.ts';

/** Bytes with which a connection of HTTP/2 begins (RFC 9113, 3.4). */
const prefaceBytes = 24;
/** Milliseconds in which a caller takes the status of a call that it has not finished. */
const lingering = 1_000;

/** A call by the name that the code of the library has for its transport. */
interface OverStream {
  readonly stream: ServerHttp2Stream;
}

export interface LateCallsOptions {
  readonly grpc: typeof Grpc;
  /** Milliseconds. */
  readonly readTimeout: number;
  /** Bytes of one second. */
  readonly readRate: number;
  /** A caller was too slow. */
  readonly cut: () => void;
}

/** Ends calls whose messages come too slowly, as servers of HTTP end uploads, and connections that begin nothing. */
export class LateCalls {
  readonly #options: LateCallsOptions;
  readonly #late = new LateBodies();

  constructor(options: LateCallsOptions) {
    this.#options = options;
    this.#late.readTimeout = options.readTimeout;
    this.#late.readRate = options.readRate;
  }

  /** Sees each call before its first message, and leaves it as it is. */
  readonly interceptor: Grpc.ServerInterceptor = (_method, call) => {
    const { stream } = call as unknown as OverStream;
    const timer = setTimeout(() => this.#watch(call as Grpc.ServerInterceptingCall, stream), this.#options.readTimeout);
    timer.unref();
    stream.once('end', () => clearTimeout(timer));
    stream.once('close', () => clearTimeout(timer));
    return call as Grpc.ServerInterceptingCall;
  };

  watch(socket: Socket): void {
    const timer = setTimeout(() => {
      if (socket.bytesRead >= prefaceBytes) return;
      this.#options.cut();
      socket.destroy();
    }, this.#options.readTimeout).unref();
    socket.once('close', () => clearTimeout(timer));
  }

  #watch(call: Grpc.ServerInterceptingCall, stream: ServerHttp2Stream): void {
    let received = 0;
    // The library has its own listener, and decides when the stream is read.
    stream.on('data', ({ length }: Buffer) => {
      received += length;
    });
    this.#late.take({
      isComplete: () => stream.readableEnded || stream.closed,
      received: () => received,
      isUntaken: () => stream.isPaused(),
      end: () => this.#end(call, stream),
    });
  }

  #end(call: Grpc.ServerInterceptingCall, stream: ServerHttp2Stream): void {
    this.#options.cut();
    call.sendStatus({
      code: this.#options.grpc.status.DEADLINE_EXCEEDED,
      details: 'the messages of the call did not arrive in time',
      metadata: null,
    });
    setTimeout(() => stream.close(), lingering).unref();
  }
}
