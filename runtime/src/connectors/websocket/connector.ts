import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../contracts/connector.ts';
import type { HttpMount, Verifier } from '../../contracts/http.ts';
import type { Source } from '../../contracts/source.ts';
import type { Target } from '../../contracts/target.ts';
import { Failure } from '../../errors/failure.ts';
import { type Codec, codecOf } from '../../formats/registry.ts';
import { corsOf } from '../../http/admission/cors.ts';
import { verifierOf } from '../../identity/verify.ts';
import { Intake } from '../../intake/intake.ts';
import { fired } from '../../net/fired.ts';
import { Clients } from './clients.ts';
import { ClientDriver } from './driver.ts';
import type { websocket } from './spec.ts';
import { pushTarget } from './target.ts';

/** Handshakes whose credentials are being checked. */
const mostHandshakes = 1000;

type WebSocketConfig = Values<(typeof websocket)['config']>;

export const create: Factory<typeof websocket> = (name, config, services) =>
  new WebSocketServerConnector(name, config, services);

/** Keeps clients connected, for as long as its own block does not change. */
class WebSocketServerConnector implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  readonly #clients: Clients;
  readonly #intake: Intake;
  readonly #config: WebSocketConfig;
  readonly #verifier: Verifier | undefined;
  readonly #mount: HttpMount;
  #json: Codec | undefined;

  constructor(name: string, config: WebSocketConfig, services: ConnectorServices) {
    const { production, connectionCut } = services;
    this.name = name;
    this.#config = config;
    this.#verifier = config.auth && verifierOf(config.auth, services, name);
    this.#mount = {
      connector: name,
      address: { host: config.host ?? '', port: config.port },
      access: {
        cors: corsOf(config.cors && { ...config.cors, methods: [], headers: [], allow_credentials: false }, production),
        verifier: this.#verifier,
        maxInFlight: mostHandshakes,
        timeout: undefined,
      },
      builtins: false,
      routes: [],
      upgrades: [
        {
          path: config.path,
          protocol: 'websocket',
          handle: (request, socket, head, admitted) => this.#clients.take(request, socket, head, admitted),
        },
      ],
    };
    const driver = new ClientDriver(name, config.workers);
    const intake = new Intake(driver, { connector: name, services });
    this.#intake = intake;
    this.#clients = new Clients(
      {
        pingInterval: config.ping_interval,
        pongTimeout: config.pong_timeout,
        mostClients: config.max_clients,
        maxWaiting: config.max_waiting,
        maxBacklog: config.max_backlog,
        maxUnsent: config.max_unsent,
        secretParameter: config.auth?.query_param,
        production,
        now: () => services.clock.now(),
        cut: (reason) => connectionCut?.(name, reason),
      },
      driver,
    );
    this.source = {
      bind: (bindings) => ({ ...intake.bind(bindings), http: this.#mount }),
      events: intake.events,
      start: () => intake.start(),
      stop: (cut) => this.#stop(cut),
    };
    this.target = pushTarget({
      connector: name,
      isOpen: () => this.#clients.isOpen,
      rooms: this.#clients.rooms,
      outbox: this.#clients.outbox,
      json: () => this.#json as Codec,
    });
  }

  async open(): Promise<void> {
    const { WebSocketServer } = await import('ws');
    this.#json = await codecOf('json');
    if (this.#clients.isOpen) return;
    await this.#verifier?.prepare();
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#config.max_message,
      // No sub-protocol is spoken here.
      handleProtocols: () => false,
    });
    this.#clients.open(server, this.#json);
    await this.#intake.connected();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#stop(cut);
  }

  async check(): Promise<void> {
    if (this.#clients.isOpen) return;
    throw new Failure('connector_refused', 'it takes no clients', { at: { connector: this.name } });
  }

  /** What is under way is answered before its client hears that the service goes, unless the time for that is over. */
  async #stop(cut?: AbortSignal): Promise<void> {
    const settled = this.#intake.stop(cut);
    await Promise.race([settled.then(() => this.#clients.outbox.idle()), fired(cut)]);
    await Promise.all([settled, this.#clients.close(1001, 'the service is going away')]);
  }
}
