import { Readable } from 'node:stream';
import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { weigh } from '../../content/free.ts';
import { Passage } from '../../content/passage.ts';
import { gone, tooLarge } from './body.ts';

/** Bytes that wait for their reader before the caller is held back. */
const waitingBytes = 64 * 1024;
const nothing = new Uint8Array();

/**
 * The body of a request as it comes, for one reader. Nothing of it is taken before it is read, and the caller sends no
 * faster than that. Its stream fails with a Failure: `body_too_large` beyond `limit` bytes, `cancelled` when the caller
 * goes. Throws `body_too_large` for one that announces more.
 */
export function forwardBody(exchange: HttpExchange, limit: number): Passage {
  const declared = exchange.request.headers['content-length'];
  const size = declared === undefined ? undefined : Number(declared);
  if (size !== undefined && size > limit) throw tooLarge(limit);
  const { stream } = new ForwardedBody(exchange, limit);
  return new Passage({ size, begin: nothing, isFreeable: true, stream });
}

class ForwardedBody {
  readonly stream: Readable;
  readonly #exchange: HttpExchange;
  readonly #limit: number;
  #received = 0;
  #isTaken = false;
  #isOver = false;

  constructor(exchange: HttpExchange, limit: number) {
    this.#exchange = exchange;
    this.#limit = limit;
    this.stream = new Readable({
      highWaterMark: waitingBytes,
      read: () => this.#read(),
      destroy: (error, done) => {
        this.#leave();
        done(error);
      },
    });
  }

  #read(): void {
    const { request } = this.#exchange;
    if (this.#isTaken) return void request.resume();
    this.#isTaken = true;
    if (request.destroyed) return void this.stream.destroy(gone());
    this.#exchange.takeBody();
    request.on('data', this.#take);
    request.on('end', () => {
      this.#isOver = true;
      this.stream.push(null);
    });
    request.on('error', this.#lost);
    request.on('close', this.#lost);
  }

  readonly #take = (chunk: Buffer): void => {
    this.#received += chunk.length;
    if (this.#received > this.#limit) return void this.stream.destroy(tooLarge(this.#limit));
    // A part of what was read from the connection cannot be freed when its reader has taken it.
    if (chunk.byteLength < chunk.buffer.byteLength) weigh(chunk);
    if (!this.stream.push(chunk)) this.#exchange.request.pause();
  };

  readonly #lost = (): void => {
    if (!this.#isOver) this.stream.destroy(gone());
  };

  /** What has not come is discarded, so that the caller gets to see its answer. */
  #leave(): void {
    if (!this.#isTaken || this.#isOver) return;
    this.#isOver = true;
    const { request } = this.#exchange;
    request.removeListener('data', this.#take);
    request.pause();
    this.#exchange.leaveBody();
  }
}
