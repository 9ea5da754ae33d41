import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target } from '../../foundation/contracts/target.ts';
import type { FixedWords } from '../../foundation/contracts/words.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { accessOf, baseAddress } from '../../platform/net/client/access.ts';
import type { BreakerSettings } from '../../platform/net/client/breaker.ts';
import type { CircuitBreakerConfig } from '../../platform/net/client/breaker-spec.ts';
import { isTriedOnce, type RetryPolicy } from '../../platform/net/client/retry.ts';
import type { HttpSender } from '../../platform/net/request.ts';
import { readTls, type TlsMaterial } from '../../platform/net/tls.ts';
import type { AnswerCache } from './cache/answer-cache.ts';
import { MemoryShelf, StorageShelf } from './cache/shelf.ts';
import type { CacheConfig } from './cache/spec.ts';
import { HttpCall } from './call.ts';
import { headerOf } from './data.ts';
import { Codecs, type Peer } from './peer.ts';
import type { http, spokenWords } from './spec.ts';
import { isRepeatable } from './target.ts';

/** Characters of answers that are kept in memory. */
const cacheMemory = 32 * 1024 * 1024;

type HttpConfig = Values<(typeof http)['config']>;

/** Makes an `http` client. */
export const create: Factory<typeof http> = (name, config, services) => new HttpConnector(name, config, services);

/** Calls one HTTP service. */
class HttpConnector implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #config: HttpConfig;
  readonly #services: ConnectorServices;
  readonly #base: URL;
  #client: HttpSender | undefined;
  #peer: Peer | undefined;
  readonly #retry: RetryPolicy;
  /** Calls that have one attempt whatever `retry` says, until that is logged. */
  readonly #triedOnce = new Set<string>();

  constructor(name: string, config: HttpConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#base = baseAddress(config.base_url, 'base_url');
    this.#retry = {
      attempts: config.retry?.attempts ?? config.retry_count,
      delay: config.retry?.delay ?? 100,
      maxDelay: config.retry?.max_delay ?? 30_000,
      kind: config.retry?.backoff ?? 'constant',
      unsafe: config.retry?.unsafe ?? false,
      jitter: true,
    };
  }

  /** Reads certificates. The peer may still be unavailable, and so may the provider of its access tokens. */
  async open(): Promise<void> {
    if (this.#peer !== undefined) return;
    const { format, body_formats: bodyFormats, escape_formulas: escapeFormulas, ...config } = this.#config;
    const { auth, headers, timeout, http2, max_response: maxResponse } = config;
    const tls = await readTls(config.tls, this.#services);
    const { name } = this;
    const breaker = breakerSettings(config.circuit_breaker);
    const written = { name, base: this.#base, auth, headers, tls, timeout, maxResponse, retry: this.#retry, breaker };
    const access = await accessOf({ ...written, http2 }, this.#services);
    this.#client = access.client;
    const codecs = new Codecs();
    await Promise.all([codecs.get('json'), codecs.get(format)]);
    const { hedge } = config;
    const hedges = this.#services.families?.hedgedRequests.of(name);
    const sentAgain = () => void (hedges !== undefined && hedges.value++);
    const cache = config.cache && (await this.#cache(config.cache, tls));
    this.#peer = { ...access, name, format, bodyFormats, style: { escapeFormulas }, codecs, cache, hedge, sentAgain };
    this.#announce();
  }

  async close(cut?: AbortSignal): Promise<void> {
    const client = this.#client;
    this.#peer = undefined;
    await client?.close(cut);
  }

  /** Any answer means that the peer is available; it is degraded while its circuit breaker is not closed. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const { direct, breaker, origin, headers, timeout } = this.#open();
    const path = basePath(this.#base) || '/';
    const request = { method: 'HEAD', origin, path, headers: [...headers].flat(), deadline: timeout, signal };
    await direct.send(request).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.upstream === undefined) throw error;
    });
    const { state = 'closed' } = breaker ?? {};
    return state === 'closed' ? undefined : `the circuit breaker is ${state}`;
  }

  prepare(description: CallDescription<FixedWords<typeof spokenWords>>): Execute {
    const call = new HttpCall(() => this.#open(), basePath(this.#base), description);
    const fixed = this.#config.headers?.fields.map(({ name }) => name) ?? [];
    const declared = [...(description.places ?? [])].flatMap(([name, place]) =>
      place === 'header' ? [headerOf(name)] : [],
    );
    if (isTriedOnce(this.#retry, isRepeatable(call.method), [...fixed, ...(description.headers ?? []), ...declared]))
      this.#announce(`${description.flow}: ${description.label}`);
    return (request) => call.execute(request);
  }

  async #cache({ storage }: CacheConfig, tls: TlsMaterial | undefined): Promise<AnswerCache> {
    const { clock, log, families, storage: storageOf } = this.#services;
    const shelf =
      storage === undefined ? new MemoryShelf(clock, cacheMemory) : new StorageShelf(clock, () => storageOf(storage));
    const [hits, misses] = [families?.cacheHits.of(this.name), families?.cacheMisses.of(this.name)];
    const { AnswerCache } = await import('./cache/answer-cache.ts');
    const { auth } = this.#config;
    return AnswerCache.open(shelf, this.name, [auth, tls?.cert?.toString()], log, {
      hit: () => void (hits !== undefined && hits.value++),
      missed: () => void (misses !== undefined && misses.value++),
    });
  }

  /** Logs which calls are not repeated: all in one line at start, new ones with each reload. */
  #announce(...places: readonly string[]): void {
    for (const place of places) this.#triedOnce.add(place);
    if (this.#peer === undefined || this.#triedOnce.size === 0) return;
    this.#services.log.warn(
      'POST and PATCH are not repeated once they were sent: send the header Idempotency-Key, or write unsafe = true in retry where repeating does no harm',
      { calls: [...this.#triedOnce].join(', ') },
    );
    this.#triedOnce.clear();
  }

  #open(): Peer {
    if (this.#peer) return this.#peer;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

function breakerSettings(written: CircuitBreakerConfig | undefined): BreakerSettings | undefined {
  return written && { ...written, halfOpen: written.half_open };
}

/** Path of the address without trailing slash; empty at the root. */
function basePath(base: URL): string {
  return base.pathname.replace(/\/+$/, '');
}
