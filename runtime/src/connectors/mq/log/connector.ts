import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Source } from '../../../foundation/contracts/source.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { ConnectedSource, reconnectingOf } from '../../intake/broker/connected.ts';
import type { LogConnection } from './connection.ts';
import { TopicDriver } from './driver.ts';
import { LogTarget } from './publish/target.ts';
import type { SchemaValues } from './schemas/values.ts';
import type { LogConfig, partitionedLog } from './spec.ts';

export const create: Factory<typeof partitionedLog> = (name, config, services) =>
  new LogConnector(name, config, services);

/** Takes messages of topics where it has a `consumer` block, and sends messages to topics. */
class LogConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly reconnecting;
  readonly source?: Source;
  readonly createSource?: NonNullable<Connector['createSource']>;
  readonly openDesk?: NonNullable<Connector['openDesk']>;
  readonly #sending: LogTarget;
  readonly #taking: ConnectedSource<LogConnection> | undefined;
  readonly #config: LogConfig;
  readonly #services: ConnectorServices;
  #schemas: SchemaValues | undefined;

  constructor(name: string, config: LogConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    const schemas = () => this.#schemas;
    this.#sending = new LogTarget(name, config, services, schemas);
    this.target = this.#sending;
    this.reconnecting = reconnectingOf(config);
    const { consumer } = config;
    if (consumer === undefined) return;
    this.openDesk = async () => (await import('./desk.ts')).LogDesk.open(name, config, consumer, services);
    const taking = new ConnectedSource(
      name,
      new TopicDriver(name, config, services, schemas),
      this.reconnecting,
      services,
    );
    this.#taking = taking;
    this.source = taking.source;
    if (taking.createSource)
      this.createSource = (signal) => (taking.createSource as NonNullable<typeof taking.createSource>)(signal);
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.openTarget(signal);
    await this.#taking?.open(signal);
  }

  async openTarget(signal: AbortSignal): Promise<void> {
    await this.#openSchemas();
    await this.#sending.open(signal);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    await this.#taking?.close(cut);
  }

  /** Flows that take messages may still send some. */
  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    await this.#sending.close(cut);
    await this.#schemas?.close(cut);
    this.#schemas = undefined;
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    await this.#sending.check(signal);
    await this.#schemas?.check();
    return this.#taking?.check(signal);
  }

  async #openSchemas(): Promise<void> {
    const { schema_registry: registry } = this.#config;
    if (registry === undefined || this.#schemas !== undefined) return;
    const { SchemaValues: Opened } = await import('./schemas/values.ts');
    const schemas = new Opened(registry, this.#services);
    try {
      await schemas.open(this.#services);
    } catch (error) {
      await schemas.close(AbortSignal.abort());
      throw asFailure(error).within({ connector: this.name });
    }
    this.#schemas = schemas;
  }
}
