import type { Values } from '@svc/protocol/schema';
import type { IClientOptions, MqttClient } from 'mqtt';
import type { Connector, ConnectorServices, Factory } from '../../contracts/connector.ts';
import { Failure } from '../../errors/failure.ts';
import { Intake } from '../../intake/intake.ts';
import { backoffDelay } from '../../net/backoff.ts';
import { readTls } from '../../net/tls.ts';
import { withinTime } from '../../net/within-time.ts';
import { TopicDriver } from './driver.ts';
import type { mqtt } from './spec.ts';

type MqttConfig = Values<(typeof mqtt)['config']>;

export const create: Factory<typeof mqtt> = (name, config, services) => new MqttConnector(name, config, services);

/** Subscribes to topics of a broker under one client id, which no other connection may have at the same time. */
class MqttConnector implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly #config: MqttConfig;
  readonly #services: ConnectorServices;
  readonly #driver: TopicDriver;
  #client: MqttClient | undefined;
  #problem = 'it was not opened';

  constructor(name: string, config: MqttConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#driver = new TopicDriver({
      qos: config.qos as 0 | 1 | 2,
      prefetch: config.prefetch,
      workers: config.workers,
    });
    this.source = new Intake(this.#driver, { connector: name, services });
    this.#driver.inlet = this.source;
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#client !== undefined) return;
    const { qos, clean_session } = this.#config;
    const { log } = this.#services;
    if (qos === 0) log.info('messages are delivered at most once: qos = 0');
    else if (clean_session) log.info('messages sent while this client is away are lost: clean_session = true');
    // The default export is the same whether the library is bundled or not; its names are not.
    const { default: mqtt } = await import('mqtt');
    const client = mqtt.connect(this.#address, { ...(await this.#options()), manualConnect: true });
    this.#driver.use(client);
    try {
      await this.#connected(client, signal);
    } catch (error) {
      await client.endAsync(true).catch(() => undefined);
      const text = `${withoutCredentials(this.#config.broker)}: ${textOf(error)}`;
      throw new Failure('connector_refused', text, { cause: error, at: { connector: this.name } });
    }
    this.#client = client;
  }

  async close(): Promise<void> {
    await this.source.stop();
    const client = this.#client;
    this.#client = undefined;
    this.#problem = 'it is closed';
    if (client === undefined) return;
    const ended = client.endAsync().catch(() => undefined);
    // A peer that is silent never takes the leave.
    await withinTime(longestLeave, () => ended).catch(() => client.stream.destroy());
    await ended;
  }

  /** Asks the broker over the connection that delivers. One that does not answer in time is made again. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const client = this.#client;
    const problem = client?.connected === true ? this.source.problem : this.#problem;
    if (client === undefined || problem !== undefined)
      throw new Failure('connector_refused', problem ?? this.#problem, { at: { connector: this.name } });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answered = ({ cmd }: { readonly cmd?: string }) => void (cmd === 'pingresp' && resolve());
    const lost = () => reject(new Failure('connector_refused', this.#problem, { at: { connector: this.name } }));
    const late = () => {
      this.#driver.renew('the broker does not answer');
      reject(new Failure('connector_timeout', 'the broker does not answer', { at: { connector: this.name } }));
    };
    client.on('packetreceive', answered).on('close', lost);
    signal.addEventListener('abort', late, { once: true });
    try {
      client.sendPing();
      await promise;
    } finally {
      client.off('packetreceive', answered).off('close', lost);
      signal.removeEventListener('abort', late);
    }
    return this.source.pause;
  }

  /** Connects for the first time, and follows the connection from then on. */
  async #connected(client: MqttClient, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    let isOpen = false;
    let attempt = 0;
    client.on('connect', () => {
      attempt = 0;
      this.source.connected().then(
        () => {
          if (isOpen) this.#services.log.info('the broker is back');
          isOpen = true;
          resolve();
        },
        (error: unknown) => (isOpen ? this.#driver.renew(textOf(error)) : reject(error)),
      );
    });
    client.on('error', (error) => {
      this.#problem = textOf(error);
      if (!isOpen) reject(error);
    });
    client.on('close', () => {
      this.#driver.lost();
      this.source.disconnected();
      if (!isOpen) reject(new Error(this.#problem));
      else if (this.#client === client && attempt++ === 0)
        this.#services.log.warn('the broker is away; reconnecting', { reason: this.#problem });
      if (client.options.reconnectPeriod !== 0) client.options.reconnectPeriod = this.#pause(attempt);
    });
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    this.#problem = 'the broker closed the connection';
    client.connect();
    await promise;
  }

  #pause(attempt: number): number {
    const maxDelay = this.#config.max_reconnect_interval;
    return backoffDelay(
      { kind: 'exponential', delay: Math.min(1000, maxDelay), maxDelay, jitter: true },
      Math.max(1, attempt),
    );
  }

  get #address(): string {
    return this.#config.broker.replace(/^tcp:/, 'mqtt:').replace(/^(ssl|tls):/, 'mqtts:');
  }

  async #options(): Promise<IClientOptions> {
    const config = this.#config;
    return {
      ...(await readTls(config.tls, this.#services)),
      clientId: config.client_id ?? this.name,
      protocolVersion: config.protocol_version === '5' ? 5 : 4,
      clean: config.clean_session,
      keepalive: Math.ceil(config.keep_alive / 1000),
      connectTimeout: config.connect_timeout,
      reconnectPeriod: config.auto_reconnect ? 1000 : 0,
      resubscribe: false,
      queueQoSZero: false,
      ...(config.username !== undefined && { username: config.username }),
      ...(config.password !== undefined && { password: config.password }),
      ...(config.protocol_version === '5' && {
        properties: {
          receiveMaximum: config.prefetch,
          ...(config.clean_session ? {} : { sessionExpiryInterval: sessionSeconds }),
        },
      }),
    };
  }
}

/** Milliseconds in which a broker takes leave of this client. */
const longestLeave = 1_000;

/** How long a broker of version 5 keeps the session of a client that is away: as long as it can. */
const sessionSeconds = 0xffff_ffff;

function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/@]*@/, '//');
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
