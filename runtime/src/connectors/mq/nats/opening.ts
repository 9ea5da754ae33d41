import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { textOf } from '../../../platform/net/connection.ts';
import type { ConnectOptions } from '../../intake/broker/connected-driver.ts';
import { addressOf } from './address.ts';
import { NatsLink } from './connection.ts';
import { signInOf } from './sign-in.ts';
import type { NatsConfig } from './spec.ts';

interface LinkWanted extends Pick<ConnectOptions, 'tls' | 'lost' | 'signal'> {
  /** Bytes of one message; `max_message` when absent. */
  readonly most?: number;
}

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

  /** Connects to the first of the servers that can be reached. Rejects with why the last one could not. */
  async connect(options: LinkWanted): Promise<NatsLink> {
    const { signal, most = this.#config.max_message, ...link } = options;
    const all = [this.server.text, ...(this.#config.servers ?? [])];
    let last: unknown = new Error('there is no server');
    for (const server of all) {
      try {
        return await this.#connect(server, { ...link, most });
      } catch (error) {
        last = all.length > 1 ? new Error(`${server}: ${textOf(error)}`, { cause: error }) : error;
        if (signal.aborted) break;
      }
    }
    throw last;
  }

  async #connect(
    server: string,
    { tls, lost, most }: Omit<LinkWanted, 'signal'> & { readonly most: number },
  ): Promise<NatsLink> {
    const { connection_name = this.#name, connect_timeout, timeout, heartbeat } = this.#config;
    const link = await NatsLink.open({
      server,
      name: connection_name,
      signIn: await signInOf(this.#config, this.#services.directory),
      tls,
      connectTimeout: connect_timeout,
      timeout,
      heartbeat,
      mostBytes: most,
      lost,
    });
    if (most === this.#config.max_message) this.#opened(link);
    return link;
  }
}
