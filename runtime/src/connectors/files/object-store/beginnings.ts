import { Failure } from '../../../foundation/errors/failure.ts';
import { readXml, textIn } from '../../../platform/aws/answer.ts';
import type { Exchange } from '../store.ts';
import type { S3Client } from './client/client.ts';

/**
 * Whether a store keeps a `/` at the beginning of keys. MinIO, and what is made of it, takes it away in silence: `/a` reads,
 * replaces and removes the object `a`. What such a store says of the prefix of a list shows it.
 */
export class KeyBeginnings {
  readonly #client: S3Client;
  #areKept: boolean | undefined;

  constructor(client: S3Client) {
    this.#client = client;
  }

  /** Asks the store once. Credentials that may not list leave it unknown, which is taken for yes. */
  async areKept(exchange: Exchange): Promise<boolean> {
    this.#areKept ??= (await this.#echo(exchange)) !== '';
    return this.#areKept;
  }

  /** What the store repeats of the prefix `/`; undefined where it does not say. */
  async #echo(exchange: Exchange): Promise<string | undefined> {
    const query = { 'list-type': '2', 'max-keys': '1', prefix: '/' };
    try {
      const answer = await this.#client.send(
        { method: 'GET', key: undefined, path: '', query, isSafe: true },
        exchange,
      );
      const said = await readXml(answer.body);
      return Object.hasOwn(said, 'Prefix') ? (textIn(said, 'Prefix') ?? '') : undefined;
    } catch (error) {
      if (error instanceof Failure && error.upstream?.status === 403) return undefined;
      throw error;
    }
  }
}
