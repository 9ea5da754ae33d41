import type { Refused } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Resource } from '../../../foundation/contracts/plan.ts';

/** External providers as far as they are asked about credentials. */
export interface CredentialReader {
  /** Who a credential belongs to; undefined where no provider accepts it. */
  recognise(credential: string): Promise<Auth | Refused | undefined>;
}

/**
 * The external providers of the configurations that are in use. It outlives reloads: a connection that lasts longer than
 * the configuration that it began with is asked about at the providers of the latest one.
 */
export class LatestProviders implements Resource {
  readonly name = 'external providers';
  readonly #inUse: CredentialReader[] = [];

  get latest(): CredentialReader | undefined {
    return this.#inUse.at(-1);
  }

  add(providers: CredentialReader): void {
    this.#inUse.push(providers);
  }

  remove(providers: CredentialReader): void {
    const at = this.#inUse.indexOf(providers);
    if (at >= 0) this.#inUse.splice(at, 1);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}
}
