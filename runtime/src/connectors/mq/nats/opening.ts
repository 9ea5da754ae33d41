import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { ConnectOptions } from '../../../intake/connected-driver.ts';
import { addressOf, type NatsConfig, signInOf } from './address.ts';
import { NatsLink } from './connection.ts';

/** Makes the connections of a connector; `opened` is called with each. */
export class Opening {
  readonly server;
  readonly #config: NatsConfig;
  readonly #name: string;
  readonly #services: Pick<ConnectorServices, 'directory'>;
  readonly #opened: (link: NatsLink) => void;

  constructor(
    name: string,
    config: NatsConfig,
    services: Pick<ConnectorServices, 'directory'>,
    opened: (link: NatsLink) => void,
  ) {
    this.server = addressOf(config);
    this.#config = config;
    this.#name = name;
    this.#services = services;
    this.#opened = opened;
  }

  async connect({ tls, lost }: Pick<ConnectOptions, 'tls' | 'lost'>): Promise<NatsLink> {
    const {
      servers = [],
      connection_name = this.#name,
      connect_timeout,
      timeout,
      heartbeat,
      max_message,
    } = this.#config;
    const link = await NatsLink.open({
      servers: [this.server.text, ...servers],
      name: connection_name,
      signIn: await signInOf(this.#config, this.#services.directory),
      tls,
      connectTimeout: connect_timeout,
      timeout,
      heartbeat,
      mostBytes: max_message,
      lost,
    });
    this.#opened(link);
    return link;
  }
}
