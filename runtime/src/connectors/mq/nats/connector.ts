import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import { ConnectedSource, reconnectingOf } from '../../intake/broker/connected.ts';
import type { Intake } from '../../intake/intake.ts';
import type { NatsLink } from './connection.ts';
import { CoreDriver } from './core-driver.ts';
import { Opening } from './opening.ts';
import { SubjectTarget } from './publish/target.ts';
import type { NatsConfig, nats } from './spec.ts';
import { StreamDriver } from './stream-driver.ts';

export const create: Factory<typeof nats> = (name, config, services) => new NatsConnector(name, config, services);

/** Takes messages and publishes them over one connection. */
class NatsConnector implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly target: SubjectTarget;
  readonly createSource?: NonNullable<Connector['createSource']>;
  readonly openDesk?: NonNullable<Connector['openDesk']>;
  readonly reconnecting;
  readonly #connected: ConnectedSource<NatsLink>;
  /** Connections that were made, as long as they are open. */
  readonly #links = new Set<NatsLink>();

  constructor(name: string, config: NatsConfig, services: ConnectorServices) {
    const opening = new Opening(name, config, services, (link) => void this.#links.add(link));
    this.name = name;
    this.reconnecting = reconnectingOf(config);
    this.#connected = new ConnectedSource(name, driverOf(config, opening, services), this.reconnecting, services);
    this.source = this.#connected.source;
    if (this.#connected.createSource) this.createSource = this.#connected.createSource;
    this.target = new SubjectTarget(name, config, () => this.#open());
    const { consumer } = config;
    const { stream } = consumer ?? {};
    if (consumer === undefined || stream === undefined) return;
    this.openDesk = async (options) =>
      (await import('./desk.ts')).StreamDesk.open(config, { ...consumer, stream }, opening, options, services);
  }

  #open(): NatsLink | undefined {
    for (const link of this.#links) {
      if (link.isOpen) return link;
      this.#links.delete(link);
    }
    return undefined;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#connected.open(signal);
  }

  /** The connection is the same: what is subscribed over it begins with the source. */
  openTarget(signal: AbortSignal): Promise<void> {
    return this.#connected.openConnection(signal);
  }

  closeSource(cut?: AbortSignal): Promise<void> {
    return this.source.stop(cut);
  }

  close(cut?: AbortSignal): Promise<void> {
    return this.#connected.close(cut);
  }

  check(signal: AbortSignal): Promise<string | undefined> {
    return this.#connected.check(signal);
  }
}

function driverOf(config: NatsConfig, opening: Opening, { log }: ConnectorServices) {
  const { stream, durable } = config.consumer ?? {};
  if (config.consumer === undefined || stream === undefined || durable === undefined)
    return new CoreDriver(config, opening, log);
  return new StreamDriver(config, { ...config.consumer, stream, durable }, opening, log);
}
