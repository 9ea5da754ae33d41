import { Readable } from 'node:stream';
import { Failure } from '../../../foundation/errors/failure.ts';
import { single } from '../../../platform/net/client/answer.ts';
import { retryAfter } from '../../../platform/net/client/retry.ts';
import { type HttpAnswer, HttpFailure } from '../../../platform/net/request.ts';
import type { Entry, Exchange, OpenFile, Part } from '../store.ts';
import type { S3Client } from './client/client.ts';

/** One version of an object. A transfer that breaks continues where it was, as long as the object is the same. */
export class ObjectFile implements OpenFile {
  readonly entry: Entry;
  readonly #client: S3Client;
  readonly #key: string;
  readonly #exchange: Exchange;
  readonly #streams = new Set<Readable>();

  constructor(client: S3Client, key: string, entry: Entry, exchange: Exchange) {
    this.entry = entry;
    this.#client = client;
    this.#key = key;
    this.#exchange = exchange;
  }

  stream({ start, end }: Part = { start: 0, end: this.entry.size }): Readable {
    const stop = new AbortController();
    const exchange = { signal: AbortSignal.any([this.#exchange.signal, stop.signal]) };
    const stream = Readable.from(this.#pieces(start, end, exchange), { objectMode: false });
    this.#streams.add(stream);
    stream.once('close', () => {
      // The answer that is waited for, if any.
      stop.abort();
      this.#streams.delete(stream);
    });
    return stream;
  }

  close(): void {
    for (const stream of this.#streams) stream.destroy();
  }

  async *#pieces(start: number, end: number, exchange: Exchange): AsyncGenerator<Uint8Array> {
    const { retry } = this.#client;
    let at = start;
    while (at < end) {
      const before = at;
      try {
        for await (const piece of this.#transfer(at, end, exchange)) {
          at += piece.byteLength;
          if (at > end) throw new Failure('connector_failed', `more of "${this.entry.path}" came than was asked for`);
          yield piece;
        }
        if (at < end) throw new HttpFailure('connector_refused', `"${this.entry.path}" ended too early`, true);
      } catch (error) {
        exchange.signal.throwIfAborted();
        // A request that brought nothing was repeated by the client already.
        const wait = error instanceof HttpFailure && at > before ? retryAfter(error, 1, retry, true) : undefined;
        if (wait === undefined) throw error;
        await this.#client.pause(wait, exchange, error as HttpFailure);
      }
    }
  }

  async *#transfer(start: number, end: number, exchange: Exchange): AsyncGenerator<Uint8Array> {
    const { etag, size, path } = this.entry;
    const isWhole = start === 0 && end === size;
    const headers = {
      ...(etag !== undefined && { 'if-match': etag }),
      ...(!isWhole && { range: `bytes=${start}-${end - 1}` }),
    };
    const ask = { method: 'GET', key: this.#key, path, headers, isSafe: true, passes: true } as const;
    const answer = await this.#client.send(ask, exchange);
    const { passing } = answer;
    if (passing === undefined) return;
    const stream = passing.take();
    const abort = () => stream.destroy(exchange.signal.reason as Error);
    exchange.signal.addEventListener('abort', abort, { once: true });
    try {
      if (!isWhole) checkRange(answer, start, path);
      yield* stream as AsyncIterable<Uint8Array>;
    } finally {
      exchange.signal.removeEventListener('abort', abort);
      stream.destroy();
    }
  }
}

/** A server that does not know ranges answers with all of it. */
function checkRange({ status, headers }: HttpAnswer, start: number, path: string): void {
  const [, first] = /^bytes (\d+)-/.exec(single(headers['content-range']) ?? '') ?? [];
  if (status !== 206 || Number(first) !== start)
    throw new Failure('connector_failed', `the object store does not give a part of "${path}"`, { retriable: false });
}
