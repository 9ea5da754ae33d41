import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Source } from '../../../foundation/contracts/source.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { accessOf } from '../../../platform/aws/access.ts';
import { HttpClient } from '../../../platform/net/request.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { engineSettings } from '../configuration.ts';
import type { Engine } from '../engine.ts';
import { Exchanges } from '../exchanges.ts';
import { FileTarget } from '../target.ts';
import { type FileWatch, watchOf } from '../watch/watch.ts';
import { objectAnswers } from './answers.ts';
import { bucketAddress } from './client/address.ts';
import { S3Client } from './client/client.ts';
import { healthOf } from './health.ts';
import { rootOf } from './key.ts';
import { objectStore } from './parameters.ts';
import type { objectStoreConnector } from './spec.ts';
import { ObjectStore } from './store.ts';

type Config = Values<(typeof objectStoreConnector)['config']>;

export const create: Factory<typeof objectStoreConnector> = (name, config, services) =>
  new ObjectStoreConnector(name, config, services);

/** Objects of a bucket. */
class ObjectStoreConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly source?: Source;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #exchanges: Exchanges;
  readonly #watch: FileWatch | undefined;
  #http: HttpClient | undefined;
  #client: S3Client | undefined;
  #store: ObjectStore | undefined;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#exchanges = new Exchanges(name);
    const engine: Engine = {
      connector: name,
      spec: objectStore,
      answers: objectAnswers,
      ...engineSettings(config),
      timeout: config.timeout,
      exchanges: this.#exchanges,
      now: () => services.clock.now(),
      store: () => this.#open(),
    };
    this.target = new FileTarget(engine);
    this.#watch = watchOf('object_store', config.bucket, engine, config, services);
    if (this.#watch !== undefined) this.source = this.#watch.source;
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.openTarget(signal);
    await this.#watch?.open();
  }

  /** Asks the bucket nothing: credentials are looked for where the block does not have them. */
  async openTarget(signal: AbortSignal): Promise<void> {
    if (this.#store !== undefined) return;
    const config = this.#config;
    const tls = await readTls(config.tls, this.#services);
    const http = new HttpClient({ tls, maxResponse: Number.POSITIVE_INFINITY });
    try {
      const client = await this.#connected(http, signal);
      this.#http = http;
      this.#client = client;
      this.#store = new ObjectStore(client, {
        root: rootOf(config.prefix),
        partSize: config.part_size,
        parallel: config.upload_concurrency,
        storage: config,
      });
    } catch (error) {
      await http.close(AbortSignal.abort());
      throw error instanceof Failure ? error.within({ connector: this.name }) : error;
    }
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    await this.#watch?.close(cut);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    this.#store = undefined;
    this.#client = undefined;
    await this.#exchanges.drain(cut);
    await this.#http?.close(cut);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    this.#open();
    const { prefix } = this.#config;
    return (await healthOf(this.#client as S3Client, prefix, { signal })) ?? this.#watch?.problem;
  }

  async #connected(http: HttpClient, signal: AbortSignal): Promise<S3Client> {
    const { bucket, endpoint, use_path_style: pathStyle, request_timeout: requestTimeout, retry } = this.#config;
    const { access_key: accessKey, secret_key: secretKey, session_token: sessionToken } = this.#config;
    const { clock, log, userAgent } = this.#services;
    const written = { region: this.#config.region, accessKey, secretKey, sessionToken };
    const { region, credentials } = await accessOf(written, ['access_key', 'secret_key'], this.#services);
    const address = bucketAddress({ bucket, region, endpoint, pathStyle });
    await credentials.get(signal);
    const { Signer } = await import('../../../platform/aws/signer.ts');
    return new S3Client({
      address,
      http,
      signer: new Signer(region, 's3', true),
      credentials,
      retry: {
        attempts: retry?.attempts ?? 3,
        delay: retry?.delay ?? 100,
        maxDelay: retry?.max_delay ?? 30_000,
        kind: retry?.backoff ?? 'exponential',
        jitter: true,
        unsafe: false,
      },
      requestTimeout,
      clock,
      log,
      userAgent,
    });
  }

  #open(): ObjectStore {
    if (this.#store) return this.#store;
    const at = { connector: this.name };
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at });
  }
}
