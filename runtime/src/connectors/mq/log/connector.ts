import type { Connector, ConnectorServices, Factory } from '../../../contracts/connector.ts';
import type { Source } from '../../../contracts/source.ts';
import type { Target } from '../../../contracts/target.ts';
import { ConnectedSource, constantReconnecting } from '../../../intake/connected.ts';
import type { LogConfig } from './brokers.ts';
import type { LogConnection } from './connection.ts';
import { TopicDriver } from './driver.ts';
import { LogTarget } from './publish/target.ts';
import type { partitionedLog } from './spec.ts';

export const create: Factory<typeof partitionedLog> = (name, config, services) =>
  new LogConnector(name, config, services);

/** Takes messages of topics where it has a `consumer` block, and sends messages to topics. */
class LogConnector implements Connector {
  readonly name: string;
  readonly target: Target;
  readonly source?: Source;
  readonly createSource?: NonNullable<Connector['createSource']>;
  readonly #sending: LogTarget;
  readonly #taking: ConnectedSource<LogConnection> | undefined;

  constructor(name: string, config: LogConfig, services: ConnectorServices) {
    this.name = name;
    this.#sending = new LogTarget(name, config, services);
    this.target = this.#sending;
    if (config.consumer === undefined) return;
    const taking = new ConnectedSource(
      name,
      new TopicDriver(name, config, services),
      constantReconnecting(config),
      services,
    );
    this.#taking = taking;
    this.source = taking.source;
    if (taking.createSource)
      this.createSource = (signal) => (taking.createSource as NonNullable<typeof taking.createSource>)(signal);
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.#sending.open(signal);
    await this.#taking?.open(signal);
  }

  /** Flows that take messages may still send some. */
  async close(cut?: AbortSignal): Promise<void> {
    await this.#taking?.close(cut);
    await this.#sending.close(cut);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    await this.#sending.check(signal);
    return this.#taking?.check(signal);
  }
}
