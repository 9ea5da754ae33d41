import { answered } from '../net/answered.ts';
import { type Backoff, backoffDelay } from '../net/backoff.ts';
import { discoveryOf } from './address-rules.ts';
import { OpenIdFailure, type ProviderFailures } from './failure.ts';
import { type ProviderMetadata, readMetadata } from './metadata.ts';
import type { ProviderPeer } from './peer.ts';
import type { OpenIdServices } from './settings.ts';

/** Waits between attempts to read the document. */
const backoff: Backoff = { kind: 'exponential', delay: 1_000, maxDelay: 60_000, jitter: true };
/** Milliseconds after which the document is read again. */
const freshFor = 3_600_000;

export interface DiscoveryOptions {
  readonly issuer: string;
  readonly provider: string;
  readonly peer: ProviderPeer;
  readonly failures: ProviderFailures;
  readonly services: OpenIdServices;
  /** Throws an OpenIdFailure where this service could not prove itself to the provider. */
  readonly check: (metadata: ProviderMetadata) => void;
}

/**
 * The document of an issuer, read in the background: again and again until it was read once, and every hour from then
 * on. One that cannot be read any more is used as it was.
 */
export class Discovery {
  readonly #options: DiscoveryOptions;
  readonly #ended = new AbortController();
  #metadata: ProviderMetadata | undefined;
  /** The first attempt, for which callers wait; later ones they do not. */
  #first: Promise<void> | undefined;
  #problem = 'its document was not asked for yet';
  #nextAt = 0;

  constructor(options: DiscoveryOptions) {
    this.#options = options;
  }

  /** Why the provider cannot be used now; undefined when it can. */
  get problem(): string | undefined {
    return this.#metadata === undefined ? this.#problem : undefined;
  }

  /** Begins to read the document. Nothing waits for it. */
  open(): void {
    if (this.#first !== undefined) return;
    this.#first = this.#attempt(0).then(async (failures) => this.#repeat(failures));
  }

  close(): void {
    this.#ended.abort();
    this.#metadata = undefined;
    this.#problem = 'the client is closed';
  }

  /** Waits for the first attempt at most. Rejects with an OpenIdFailure while the document was never read. */
  async metadata(signal?: AbortSignal): Promise<ProviderMetadata> {
    if (this.#metadata === undefined && this.#first !== undefined) await answered(this.#first, { signal });
    if (this.#metadata !== undefined) return this.#metadata;
    const { services, failures } = this.#options;
    const wait = Math.ceil(this.#nextAt - services.clock.elapsed());
    throw failures.unavailable(this.#problem, { retryAfter: wait > 0 ? wait : undefined });
  }

  /** Reads the document once; answers how many attempts failed in a row by now. Never rejects. */
  async #attempt(failed: number): Promise<number> {
    const { provider, services } = this.#options;
    const { log, clock } = services;
    try {
      this.#metadata = await this.#read();
      if (failed > 0) log.info('the identity provider is available again', { provider, attempts: failed + 1 });
      this.#nextAt = clock.elapsed() + freshFor;
      return 0;
    } catch (error) {
      if (this.#ended.signal.aborted) return failed;
      this.#problem = reasonOf(error);
      this.#nextAt = clock.elapsed() + backoffDelay(backoff, failed + 1);
      const used = this.#metadata === undefined ? 'no one can sign in by it' : 'what was read before is used';
      if (failed === 0)
        log.warn('the document of an identity provider cannot be read; trying again in the background', {
          provider,
          error: this.#problem,
          meanwhile: used,
        });
      else log.debug('the document of an identity provider cannot be read', { provider, error: this.#problem });
      return failed + 1;
    }
  }

  #repeat(failed: number): void {
    const { clock } = this.#options.services;
    const run = async () => {
      for (let failures = failed; !this.#ended.signal.aborted; ) {
        await clock.sleep(Math.max(0, this.#nextAt - clock.elapsed()), this.#ended.signal);
        failures = await this.#attempt(failures);
      }
    };
    // It ends with the client, when the sleep is interrupted.
    void run().catch(() => undefined);
  }

  async #read(): Promise<ProviderMetadata> {
    const { issuer, peer, failures, check } = this.#options;
    const { url, issuers } = discoveryOf(issuer);
    const { status, value } = await peer.read(url, undefined, this.#ended.signal);
    if (status !== 200) throw failures.unacceptable('discovery', `${url} answered HTTP ${status}`);
    const metadata = readMetadata(value, issuers, peer.addresses, failures);
    check(metadata);
    return metadata;
  }
}

function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // The name of the provider is said around it again.
  return error instanceof OpenIdFailure
    ? message.replace(/^the identity provider ".*?" (?:is unavailable: )?/, '')
    : message;
}
