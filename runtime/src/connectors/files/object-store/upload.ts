import { Failure } from '../../../foundation/errors/failure.ts';
import { single } from '../../../platform/net/client/answer.ts';
import type { Exchange } from '../store.ts';
import { type Block, blocksOf } from './block.ts';
import type { S3Client } from './client/client.ts';
import { sendUnder } from './conditional.ts';
import type { Headers } from './object-headers.ts';
import { mostParts, PartedUpload } from './parts.ts';

/** One object that is written. */
export interface Upload {
  readonly key: string;
  /** As flows call it, for messages. */
  readonly path: string;
  readonly source: AsyncIterable<Uint8Array>;
  /** Bytes, where they are known. */
  readonly size: number | undefined;
  /** Of the object. */
  readonly headers: Headers;
  /** Under which it takes its place. */
  readonly condition: Headers | undefined;
}

export interface UploadLimits {
  /** Bytes of a part; what has no more is sent at once. */
  readonly partSize: number;
  /** Parts that are sent side by side. */
  readonly parallel: number;
}

export interface Uploaded {
  readonly bytes: number;
  readonly etag: string | undefined;
}

/**
 * Writes an object from a source of any length, in memory for `parallel + 1` parts. The object is there when every byte is,
 * and not before; a source that fails leaves what was there.
 */
export async function upload(
  client: S3Client,
  asked: Upload,
  limits: UploadLimits,
  exchange: Exchange,
): Promise<Uploaded> {
  const { path, size, source } = asked;
  if (size !== undefined && size > limits.partSize * mostParts) throw tooManyParts(path, limits);
  const blocks = blocksOf(source, limits.partSize, size);
  const work = new Work(exchange.signal);
  try {
    const first = (await work.unlessOver(blocks.next())).value as Block;
    if (!first.isLast) return await uploadParts(client, asked, first, blocks, limits, work);
    return { bytes: first.bytes.byteLength, etag: await put(client, asked, first, work) };
  } finally {
    work.end();
    // A source that is silent would hold the end of the call.
    void blocks.return(undefined).catch(() => undefined);
  }
}

/** Writes it by one request. */
async function put(
  client: S3Client,
  { key, path, headers, condition }: Upload,
  { bytes: body, hash }: Block,
  work: Work,
): Promise<string | undefined> {
  const ask = { method: 'PUT', key, path, headers, body, hash } as const;
  return single((await sendUnder(client, ask, condition, work)).headers['etag']);
}

/** What is done for one object: over when its call is, or a part of it has failed, also while its source is silent. */
class Work implements Exchange {
  readonly signal: AbortSignal;
  readonly #stop = new AbortController();
  readonly #over = Promise.withResolvers<never>();

  constructor(call: AbortSignal) {
    this.#over.promise.catch(() => undefined);
    this.signal = AbortSignal.any([call, this.#stop.signal]);
    this.signal.addEventListener('abort', () => this.#over.reject(this.signal.reason), { once: true });
    if (this.signal.aborted) this.#over.reject(this.signal.reason);
  }

  /** Ends what is under way. */
  end(reason?: unknown): void {
    this.#stop.abort(reason);
  }

  unlessOver<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#over.promise]);
  }
}

async function uploadParts(
  client: S3Client,
  { key, path, headers, condition }: Upload,
  first: Block,
  rest: AsyncIterator<Block>,
  limits: UploadLimits,
  work: Work,
): Promise<Uploaded> {
  const parted = await PartedUpload.begin(client, { key, path }, headers, work);
  const under = new Set<Promise<void>>();
  let bytes = 0;
  let number = 0;
  const send = async (block: Block) => {
    if (++number > mostParts) throw tooManyParts(path, limits);
    bytes += block.bytes.byteLength;
    const part = parted.send(number, block.bytes, block.hash, work);
    under.add(part);
    part.then(
      () => under.delete(part),
      (error) => work.end(error),
    );
    if (under.size >= limits.parallel) await work.unlessOver(Promise.race(under));
  };
  try {
    await send(first);
    const next = () => work.unlessOver(rest.next());
    for (let block = await next(); block.done !== true; block = await next()) await send(block.value);
    await Promise.all(under);
    return { bytes, etag: await parted.complete(work, condition) };
  } catch (error) {
    work.end(error);
    await Promise.allSettled(under);
    await parted.abort();
    throw error;
  }
}

function tooManyParts(path: string, { partSize }: UploadLimits): Failure {
  const message = `"${path}" has more than ${mostParts} parts of ${partSize} bytes: write a larger part_size`;
  return new Failure('value_refused', message);
}
