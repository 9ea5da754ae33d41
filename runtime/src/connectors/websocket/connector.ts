import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { HttpMount, Verifier } from '../../foundation/contracts/http.ts';
import type { Source } from '../../foundation/contracts/source.ts';
import type { Target } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { codecOf } from '../../platform/formats/registry.ts';
import { corsOf } from '../../platform/http/admission/cors.ts';
import { bytesOf } from '../../platform/http/live/binary.ts';
import { Broadcaster } from '../../platform/http/live/broadcaster.ts';
import { Filters } from '../../platform/http/live/filters.ts';
import { pushTarget } from '../../platform/http/live/push-target.ts';
import { channelOf, type RedisChannel } from '../../platform/http/live/redis-channel.ts';
import type { SocketFrame } from '../../platform/http/websocket/link.ts';
import { verifierOf } from '../../platform/identity/verify.ts';
import { fired } from '../../platform/net/fired.ts';
import { ClientDriver } from '../intake/clients/client-driver.ts';
import { Intake } from '../intake/intake.ts';
import type { Client } from './client.ts';
import { Clients } from './clients.ts';
import { pushFrame } from './frame.ts';
import { pushes, type websocket } from './spec.ts';

/** Handshakes whose credentials are being checked. */
const mostHandshakes = 1000;

/** What a client may offer where no sub-protocol is configured, such as beside its token. */
const usualProtocol = 'svc';

type WebSocketConfig = Values<(typeof websocket)['config']>;

export const create: Factory<typeof websocket> = (name, config, services) =>
  new WebSocketServerConnector(name, config, services);

/** Keeps clients connected, for as long as its own block does not change. */
class WebSocketServerConnector implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  readonly #clients: Clients;
  readonly #broadcaster: Broadcaster<SocketFrame, Client>;
  readonly #intake: Intake;
  readonly #config: WebSocketConfig;
  readonly #verifier: Verifier | undefined;
  readonly #mount: HttpMount;
  readonly #channel: RedisChannel | undefined;

  constructor(name: string, config: WebSocketConfig, services: ConnectorServices) {
    const { production, connectionCut, log, clock } = services;
    const filters = new Filters(log, () => clock.elapsed());
    this.#channel = channelOf(name, config.storage, 0, services);
    this.#broadcaster = new Broadcaster({
      filters,
      now: () => clock.now(),
      frameOf: pushFrame,
      channel: this.#channel,
    });
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
    const driver = new ClientDriver('websocket', name, config.workers);
    const intake = new Intake(driver, { connector: name, services });
    this.#intake = intake;
    this.#clients = new Clients(
      {
        pingInterval: config.ping_interval,
        pongTimeout: config.pong_timeout,
        mostClients: config.max_clients,
        mostOfCaller: config.max_clients_per_user,
        rate: { messages: config.max_messages_per_second, bytes: config.max_bytes_per_second },
        elapsed: () => clock.elapsed(),
        maxWaiting: config.max_waiting,
        maxBacklog: config.max_backlog,
        maxUnsent: config.max_unsent,
        secretParameter: config.auth?.query_param,
        production,
        now: () => clock.now(),
        cut: (reason) => connectionCut?.(name, reason),
      },
      driver,
      this.#broadcaster,
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
      operations: pushes,
      filters,
      bytesOf,
      publish: (push) => this.#broadcaster.publish(push),
    });
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#clients.isOpen) return;
    const { WebSocketServer } = await import('ws');
    const json = await codecOf('json');
    await this.#verifier?.prepare();
    await this.#channel?.open(signal);
    this.#channel?.start({ deliver: (posted) => this.#broadcaster.deliver(posted), lost: () => undefined });
    const { protocols } = this.#config;
    const spoken = protocols.length > 0 ? protocols : [usualProtocol];
    const server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#config.max_message,
      handleProtocols: (offered) => spoken.find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#clients.open(server, json);
    await this.#intake.connected();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#stop(cut);
  }

  async check(): Promise<string | undefined> {
    if (this.#clients.isOpen) return this.#channel?.problem();
    throw new Failure('connector_refused', 'it takes no clients', { at: { connector: this.name } });
  }

  /** What is under way is answered before its client hears that the service goes, unless the time for that is over. */
  async #stop(cut?: AbortSignal): Promise<void> {
    const settled = this.#intake.stop(cut);
    await Promise.race([settled.then(() => this.#broadcaster.outbox.idle()), fired(cut)]);
    await Promise.all([settled, this.#clients.close(1001, 'the service is going away'), this.#channel?.close(cut)]);
  }
}
