import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Values } from '@svc/protocol/schema';
import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';
import type { Binding, Source } from '../../../foundation/contracts/source.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { certified } from '../../../platform/identity/certified.ts';
import { subject } from '../../../platform/identity/subject.ts';
import { Backlog } from '../../../platform/net/backlog.ts';
import { fired } from '../../../platform/net/fired.ts';
import { cannotListen } from '../../../platform/net/listening/cannot-listen.ts';
import { hostAndPort } from '../../../platform/net/server-url.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { ClientDriver } from '../../intake/clients/client-driver.ts';
import { Intake } from '../../intake/intake.ts';
import { envelopesOf } from '../envelopes/of-protocol.ts';
import { patternName, patternOf } from '../patterns.ts';
import { ClientConnection, type ServerContext } from './client-connection.ts';
import type { tcpServer } from './spec.ts';

type Config = Values<(typeof tcpServer)['config']>;

export const create: Factory<typeof tcpServer> = (name, config, services) => new TcpServer(name, config, services);

/** Milliseconds for the handshake of TLS. */
const handshakeTimeout = 10_000;

/** Listens at one port for as long as its own block does not change. */
export class TcpServer implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #driver: ClientDriver;
  readonly #intake: Intake;
  readonly #clients = new Map<Socket, ClientConnection>();
  /** Every connection, those whose handshake of TLS is not complete too. */
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#driver = new ClientDriver('tcp', name, config.workers);
    const intake = new Intake(this.#driver, { connector: name, services });
    this.#intake = intake;
    this.source = {
      bind: (bindings) => intake.bind(bindings.map((binding) => this.#named(binding))),
      events: intake.events,
      start: () => intake.start(),
      stop: (cut) => intake.stop(cut),
    };
  }

  /** Where it listens; undefined while it does not. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' ? address?.port : undefined;
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#server !== undefined) return;
    const config = this.#config;
    const { log } = this.#services;
    const envelopes = await envelopesOf(config.protocol);
    const tls = await readTls(
      config.tls && { ...config.tls, server_name: undefined, insecure_skip_verify: false },
      this.#services,
    );
    const context: ServerContext = {
      envelopes,
      driver: this.#driver,
      backlog: new Backlog(config.max_backlog),
      production: this.#services.production,
      log,
      readTimeout: config.read_timeout,
      writeTimeout: config.write_timeout,
      mostWaiting: config.max_waiting,
      mostUnsent: config.max_unsent,
      mostBytes: config.max_message,
      now: () => this.#services.clock.now(),
      cut: (reason) => this.#services.connectionCut?.(this.name, reason),
    };
    const sockets = { allowHalfOpen: true, noDelay: true, keepAlive: true };
    const isVerified = tls?.ca !== undefined;
    const server =
      tls === undefined
        ? createServer(sockets, (socket) => this.#serve(socket, undefined, context))
        : createTlsServer(
            { ...sockets, ...tls, requestCert: isVerified, rejectUnauthorized: isVerified, handshakeTimeout },
            (socket) => this.#serve(socket, isVerified ? authOf(socket) : undefined, context),
          );
    server.maxConnections = config.max_connections;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    server.on('tlsClientError', (error: Error) => log.debug('a client was refused', { reason: error.message }));
    await this.#listen(server, signal);
    this.#server = server;
    log.info('listening', { address: `tcp://${hostAndPort(config.host ?? 'localhost', this.port as number)}` });
    server.on('error', (error) => log.error('a connection could not be taken', { error }));
    await this.#intake.connected();
  }

  /** What is under way is answered before its client is disconnected, unless the time for that is over. */
  async close(cut?: AbortSignal): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = server && new Promise<void>((resolve) => server.close(() => resolve()));
    await this.#intake.stop(cut);
    // Who sent what was not begun learns that it can be sent again.
    this.#driver.refuse(new Failure('overloaded', 'the service is stopping'));
    this.#intake.disconnected();
    for (const client of this.#clients.values()) client.finish();
    await Promise.race([closed, fired(cut)]);
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async check(): Promise<void> {
    if (this.#server?.listening === true) return;
    throw new Failure('connector_refused', 'it does not listen', { at: { connector: this.name } });
  }

  /** Flows of NestJS may name a pattern as a word or as JSON. */
  #named(binding: Binding): Binding {
    const { operation } = binding;
    if (this.#config.protocol !== 'nestjs' || operation === undefined) return binding;
    return { ...binding, operation: patternName(patternOf(operation)) ?? operation };
  }

  #listen(server: Server, signal: AbortSignal): Promise<void> {
    const { host = '', port } = this.#config;
    return new Promise((resolve, reject) => {
      const fail = (error: NodeJS.ErrnoException) => {
        server.close();
        reject(cannotListen(`connector "${this.name}"`, this.name, host, port, error));
      };
      server.once('error', fail);
      server.listen({ port, ...(host !== '' && { host }), signal }, () => {
        server.off('error', fail);
        resolve();
      });
    });
  }

  #serve(socket: Socket, auth: Auth | undefined, context: ServerContext): void {
    const client = new ClientConnection(socket, auth, context);
    this.#clients.set(socket, client);
    socket.on('close', () => this.#clients.delete(socket));
    if (this.#server === undefined) client.finish();
  }
}

/** Who presents a certificate that an authority of the block has signed. */
function authOf(socket: TLSSocket): Auth {
  return certified(socket) ?? subject('', {});
}
