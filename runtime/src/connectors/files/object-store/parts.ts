import { Failure } from '../../../foundation/errors/failure.ts';
import { escapeXml, textIn } from '../../../platform/aws/answer.ts';
import { single } from '../../../platform/net/client/answer.ts';
import { HttpFailure } from '../../../platform/net/request.ts';
import type { Exchange } from '../store.ts';
import { readAnswer } from './client/answer.ts';
import type { Ask, S3Client } from './client/client.ts';
import { sendUnder } from './conditional.ts';
import type { Headers } from './object-headers.ts';

/** Most parts of an upload. */
export const mostParts = 10_000;

/** The object that parts become. */
type PartedObject = Pick<Ask, 'path' | 'source'> & { readonly key: string };

/** What is uploaded or copied in parts: an object once it is completed, and nothing before. */
export class PartedUpload {
  readonly #client: S3Client;
  readonly #object: PartedObject;
  readonly #id: string;
  readonly #etags: string[] = [];

  private constructor(client: S3Client, object: PartedObject, id: string) {
    this.#client = client;
    this.#object = object;
    this.#id = id;
  }

  /** Begins it; `headers` are those of the object. */
  static async begin(client: S3Client, object: PartedObject, headers: Headers, exchange: Exchange) {
    const query = { uploads: '' };
    // Begun twice, the first one is left without parts; the service does not know of it.
    const answer = await client.send({ ...object, method: 'POST', query, headers, isSafe: true }, exchange);
    const id = textIn(await readAnswer(answer.body), 'UploadId');
    if (id === undefined) throw new Failure('connector_failed', 'the object store gave no name to an upload in parts');
    return new PartedUpload(client, object, id);
  }

  /** Sends a part, of which `number` begins at 1. */
  async send(number: number, body: Uint8Array, hash: string, exchange: Exchange): Promise<void> {
    const query = { partNumber: String(number), uploadId: this.#id };
    const ask = { ...this.#object, method: 'PUT', query, body, hash, isSafe: true } as const;
    const answer = await this.#client.send(ask, exchange);
    this.#keep(number, single(answer.headers['etag']));
  }

  /** Has the server copy a part; `headers` name its source. */
  async copy(number: number, headers: Headers, exchange: Exchange): Promise<void> {
    const query = { partNumber: String(number), uploadId: this.#id };
    const ask = { ...this.#object, method: 'PUT', query, headers, isSafe: true, isLong: true } as const;
    const answer = await this.#client.send(ask, exchange);
    this.#keep(number, textIn(await readAnswer(answer.body), 'ETag'));
  }

  /**
   * Makes it an object, under a condition if there is one, and resolves with its ETag. `outcome_unknown`: the answer was lost,
   * and the store does not say whether the object is there.
   */
  async complete(exchange: Exchange, condition?: Headers): Promise<string | undefined> {
    const parts = this.#etags.map(
      (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`);
    const query = { uploadId: this.#id };
    const headers = { 'content-type': 'application/xml' };
    const ask = { ...this.#object, method: 'POST', query, headers, body, isLong: true } as const;
    try {
      const answer = await sendUnder(this.#client, ask, condition, exchange);
      return textIn(await readAnswer(answer.body), 'ETag');
    } catch (error) {
      exchange.signal.throwIfAborted();
      // A second attempt finds no upload where the first one was carried out, and its answer was lost.
      const isGone = error instanceof Failure && error.upstream?.body.startsWith('NoSuchUpload') === true;
      if (!isGone && !(error instanceof HttpFailure && error.sent)) throw error;
      const message = `whether "${this.#object.path}" was written is not known: the answer to its last part was lost`;
      throw new Failure('outcome_unknown', message, { cause: error });
    }
  }

  /** Gives up what was sent. Never rejects: what cannot be given up is logged. */
  async abort(): Promise<void> {
    const ask = { ...this.#object, method: 'DELETE', query: { uploadId: this.#id }, isSafe: true } as const;
    try {
      await this.#client.send(ask, { signal: new AbortController().signal });
    } catch (error) {
      if (error instanceof Failure && error.upstream?.body.startsWith('NoSuchUpload') === true) return;
      const { message } = error as Error;
      const says =
        'an upload that failed is left in the object store: a lifecycle rule for incomplete uploads removes it';
      this.#client.log.warn(says, {
        bucket: this.#client.bucket,
        key: this.#object.key,
        upload: this.#id,
        error: message,
      });
    }
  }

  #keep(number: number, etag: string | undefined): void {
    if (etag === undefined) throw new Failure('connector_failed', 'the object store gave no ETag to a part');
    this.#etags[number - 1] = etag;
  }
}
