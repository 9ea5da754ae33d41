import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import {
  type Connector,
  type ConnectorServices,
  type Factory,
  mostKnown,
} from '../../foundation/contracts/connector.ts';
import type { CallDescription, Execute, Target, WriteEach } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { acceptEncoding } from '../../platform/net/decompress.ts';
import { headerProblem, isFraming } from '../../platform/net/headers.ts';
import { type HttpAnswer, HttpClient } from '../../platform/net/request.ts';
import { readTls } from '../../platform/net/tls.ts';
import { type Engine, prepareCall, prepareEach } from './call.ts';
import { fieldsIn, objectIn } from './client/answer.ts';
import { SearchClient } from './client/client.ts';
import { refusedBy } from './client/failure.ts';
import { addressIn, Nodes } from './client/nodes.ts';
import type { SearchDescription } from './request.ts';
import type { search } from './spec.ts';

type SearchConfig = Values<(typeof search)['config']>;

/** Makes a connector of a search engine. */
export const create: Factory<typeof search> = (name, config, services) => new SearchConnector(name, config, services);

const refreshing = { none: undefined, wait_for: 'wait_for', immediate: 'true' } as const;

/** A cluster of Elasticsearch or OpenSearch. */
class SearchConnector implements Connector, Target {
  readonly name: string;
  readonly target: Target = this;
  readonly #config: SearchConfig;
  readonly #services: ConnectorServices;
  readonly #addresses: readonly URL[];
  readonly #engine: Engine;
  #http: HttpClient | undefined;
  #client: SearchClient | undefined;

  constructor(name: string, config: SearchConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    const { nodes } = config;
    this.#addresses =
      nodes !== undefined && nodes.length > 0
        ? nodes.map((node) => addressIn(node, 'nodes'))
        : [addressIn(config.url, 'url')];
    this.#engine = {
      connector: name,
      timeout: config.timeout,
      index: config.index,
      limits: { refresh: refreshing[config.refresh], maxHits: config.max_hits, indices: config.indices },
      client: () => this.#open(),
    };
  }

  /** Resolves when a node has answered with the health of its cluster, whatever it is. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#client !== undefined) return;
    const { clock, log } = this.#services;
    const { retry, timeout, max_response: maxResponse } = this.#config;
    const tls = await readTls(this.#config.tls, this.#services);
    const http = new HttpClient({ tls, maxResponse });
    const client = new SearchClient({
      name: this.name,
      http,
      nodes: new Nodes(this.#addresses, clock),
      clock,
      timeout,
      retry: {
        attempts: retry?.attempts ?? 1,
        delay: retry?.delay ?? 100,
        maxDelay: retry?.max_delay ?? 30_000,
        kind: retry?.backoff ?? 'exponential',
        jitter: true,
      },
      headers: [...this.#headers()].flat(),
    });
    this.#http = http;
    try {
      const degraded = await this.#health(client, signal);
      if (degraded !== undefined) log.warn(degraded);
      this.#client = client;
    } catch (error) {
      await http.close(AbortSignal.abort());
      throw error;
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#client = undefined;
    await this.#http?.close(cut);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    return this.#health(this.#open(), signal);
  }

  /** Indices and aliases, without those of the server itself. */
  async knownTargets(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    const client = this.#open();
    const { clock } = this.#services;
    const end = clock.elapsed() + this.#config.timeout;
    const ask = { method: 'GET', path: '/_alias', repeatable: true, changes: false } as const;
    const answer = await client.send(ask, { signal, end });
    if (answer.status !== 200) throw refusedBy(answer, { what: 'names of indices' }, clock.now());
    const indices = Object.entries(await objectIn(answer, 'names of indices'));
    const aliases = indices.flatMap(([, index]) => Object.keys(fieldsIn(fieldsIn(index)?.['aliases']) ?? {}));
    const own = (names: readonly string[], kind: string) =>
      [...new Set(names)].filter((name) => !name.startsWith('.')).map((name) => ({ name, kind }));
    return [
      ...own(aliases, 'alias'),
      ...own(
        indices.map(([name]) => name),
        'index',
      ),
    ].slice(0, mostKnown);
  }

  prepare(description: CallDescription): Execute {
    return prepareCall(this.#engine, description as SearchDescription);
  }

  prepareEach(description: CallDescription): WriteEach | undefined {
    return prepareEach(this.#engine, description as SearchDescription);
  }

  /** Why the cluster works with less than it should; undefined when every node answers and every document can be found. */
  async #health(client: SearchClient, signal: AbortSignal): Promise<string | undefined> {
    const { clock } = this.#services;
    const end = clock.elapsed() + this.#config.timeout;
    const ask = { method: 'GET', path: '/_cluster/health', repeatable: false, changes: false } as const;
    const { answers, silent } = await client.askEach(ask, { signal, end });
    const answer = answers.find(({ status }) => status === 200);
    if (answer === undefined) throw refusedBy(answers[0] as HttpAnswer, { what: 'cluster health' }, clock.now());
    const { status, unassigned_shards: unassigned } = fieldsIn(await objectIn(answer, 'cluster health')) ?? {};
    const said = [
      silent.length > 0 &&
        `${silent.length} of ${this.#addresses.length} nodes do not answer: ${silent.map(({ origin }) => origin).join(', ')}`,
      status === 'red' &&
        `the health of the cluster is red, with ${Number(unassigned ?? 0)} unassigned shards: a part of the documents cannot be found`,
    ].filter((text) => text !== false);
    return said.length === 0 ? undefined : said.join('; ');
  }

  #open(): SearchClient {
    if (this.#client) return this.#client;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }

  *#headers(): Generator<[string, string]> {
    const own = new Map<string, string>([
      ['user-agent', this.#services.userAgent],
      ['accept-encoding', acceptEncoding],
      ['accept', 'application/json'],
    ]);
    const authorization = this.#authorization();
    if (authorization !== undefined) own.set('authorization', authorization);
    for (const { name, value } of this.#config.headers?.fields ?? []) {
      const problem = isFraming(name) ? `"${name}" is set by the connection itself` : headerProblem(name, value);
      if (problem !== undefined) throw new Failure('connector_failed', `headers: ${problem}`, { retriable: false });
      own.set(name.toLowerCase(), value);
    }
    yield* own;
  }

  /** Credentials of the block, else those in the address. */
  #authorization(): string | undefined {
    const { api_key: key, username, password } = this.#config;
    if (key) return checked(`ApiKey ${key}`);
    const [{ username: user, password: secret }] = this.#addresses as readonly [URL];
    if (username) return basic(username, password);
    return user === '' && secret === '' ? undefined : basic(decodeURIComponent(user), decodeURIComponent(secret));
  }
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function checked(value: string): string {
  const problem = headerProblem('Authorization', value);
  if (problem === undefined) return value;
  throw new Failure('connector_failed', `api_key: ${problem}`, { retriable: false });
}
