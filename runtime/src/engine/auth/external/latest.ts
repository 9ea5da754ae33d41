import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { ExternalProviders } from './providers.ts';

/**
 * The external providers of the configurations that are in use. It outlives reloads: a connection that lasts longer than
 * the configuration that it began with is asked about at the providers of the latest one.
 */
export class LatestProviders implements Resource {
  readonly name = 'external providers';
  readonly #inUse: ExternalProviders[] = [];

  get latest(): ExternalProviders | undefined {
    return this.#inUse.at(-1);
  }

  add(providers: ExternalProviders): void {
    this.#inUse.push(providers);
  }

  remove(providers: ExternalProviders): void {
    const at = this.#inUse.indexOf(providers);
    if (at >= 0) this.#inUse.splice(at, 1);
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}
}
