import { type AddressInfo, createServer as createPlain, type Server, type Socket } from 'node:net';
import { createServer as createSecure, TLSSocket, type TlsOptions } from 'node:tls';
import { writeVersions } from './answers.ts';
import type { ApiName } from './apis.ts';
import type { Cluster, Node } from './cluster.ts';
import { errors } from './errors.ts';
import type { Group } from './groups.ts';
import { answer, apiOf } from './requests.ts';
import { SignIn, type User } from './sign-in.ts';
import { Topics } from './topics.ts';
import { Transactions } from './transactions.ts';
import { type Request, RequestReader, responseOf } from './wire.ts';

export { errors } from './errors.ts';

export interface StandInOptions {
  /** Brokers of the cluster; partitions are led by one after another. */
  readonly brokers?: number | undefined;
  /** Partitions of a topic that was not declared. */
  readonly partitions?: number | undefined;
  /** Certificate and key; absent: it speaks in clear. */
  readonly tls?: TlsOptions | undefined;
  /** Milliseconds that a group without members waits for others (`group.initial.rebalance.delay.ms`); absent: those of a broker. */
  readonly initialDelay?: number | undefined;
  /** Who may sign in; absent: everybody may do everything. */
  readonly users?: readonly User[] | undefined;
}

/** What is answered in the place of the work: so many times, or always. */
interface Injected {
  readonly code: number;
  left: number;
}

/** Requests that are answered while no client has signed in. */
const unguarded: readonly ApiName[] = ['apiVersions', 'saslHandshake', 'saslAuthenticate'];

/**
 * Replaces Kafka brokers where no real one can be had: the wire protocol with one version of each request, logs in memory, and
 * groups with their coordinator. It shows how the client is used, not what Kafka does.
 */
export class KafkaStandIn implements Cluster {
  readonly topics: Topics;
  readonly groups = new Map<string, Group>();
  readonly transactions = new Transactions();
  readonly initialDelay: number;
  /** The port that a client gets instead of the broker's own, as behind a proxy. */
  advertisedPort: ((broker: number, client: string) => number | undefined) | undefined;
  /** Requests that came, by name. */
  readonly asked: ApiName[] = [];
  /** Whose confirmation producers asked for. */
  readonly acks: number[] = [];
  /** What consumers asked for. */
  readonly fetched: { readonly wait: number; readonly least: number; readonly most: number }[] = [];
  /** How clients signed in: the mechanism of each. */
  readonly signedIn: string[] = [];
  /** The names in the certificates that clients showed; undefined for those who showed none. */
  readonly peers: (string | undefined)[] = [];
  /** What clients call themselves. */
  readonly clients = new Set<string>();
  coordinatorId = 0;
  leavesOut: ((partition: number) => boolean) | undefined;
  refuses: ((partition: number) => number) | undefined;
  readonly #users: readonly User[];
  readonly #servers: Server[];
  readonly #sockets = new Set<Socket>();
  readonly #injected = new Map<ApiName, Injected>();
  readonly #held = new Map<ApiName, PromiseWithResolvers<void>>();
  #production = Promise.withResolvers<void>();
  #producers = 0n;

  private constructor({ brokers = 1, partitions = 3, initialDelay = 3_000, tls, users = [] }: StandInOptions) {
    this.initialDelay = initialDelay;
    this.#users = users;
    this.topics = new Topics(partitions, (partition) => partition % brokers);
    this.#servers = Array.from({ length: brokers }, (_, node) => {
      const serve = (socket: Socket) => this.#serve(socket, node);
      return tls === undefined ? createPlain(serve) : createSecure(tls, serve);
    });
  }

  static async start(options: StandInOptions = {}): Promise<KafkaStandIn> {
    const made = new KafkaStandIn(options);
    for (const server of made.#servers) await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return made;
  }

  /** The addresses of its brokers. */
  get brokers(): readonly string[] {
    return this.#servers.map((_, node) => `127.0.0.1:${this.port(node)}`);
  }

  port(node = 0): number {
    return ((this.#servers[node] as Server).address() as AddressInfo).port;
  }

  nodes(client: string): readonly Node[] {
    const port = (id: number) => this.advertisedPort?.(id, client) ?? this.port(id);
    return this.#servers.map((_, id) => ({ id, host: '127.0.0.1', port: port(id) }));
  }

  coordinator(client: string): Node {
    return this.nodes(client)[this.coordinatorId] as Node;
  }

  notedAcks(acks: number): void {
    this.acks.push(acks);
  }

  notedFetch(asked: { readonly wait: number; readonly least: number; readonly most: number }): void {
    this.fetched.push(asked);
  }

  newProducer(): bigint {
    return ++this.#producers;
  }

  produced(): void {
    this.#production.resolve();
    this.#production = Promise.withResolvers<void>();
  }

  async whenProduced(milliseconds: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds).unref();
    });
    await Promise.race([this.#production.promise, late]);
    clearTimeout(timer);
  }

  /** From now on requests of this name are answered with an error, so many times. */
  fail(name: ApiName, code: number, times = Number.POSITIVE_INFINITY): void {
    if (times === 0) this.#injected.delete(name);
    else this.#injected.set(name, { code, left: times });
  }

  /** From now on requests of this name are left without an answer; resolves what waits. */
  hold(name: ApiName): () => void {
    const held = Promise.withResolvers<void>();
    this.#held.set(name, held);
    return () => {
      this.#held.delete(name);
      held.resolve();
    };
  }

  /** How often requests of this name came. */
  count(name: ApiName): number {
    return this.asked.filter((each) => each === name).length;
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    for (const { resolve } of this.#held.values()) resolve();
    this.cut();
    for (const group of this.groups.values()) group.end();
    await Promise.all(this.#servers.map((server) => new Promise<void>((resolve) => server.close(() => resolve()))));
  }

  #serve(socket: Socket, node: number): void {
    const reader = new RequestReader();
    const signIn = new SignIn(this.#users);
    let before: Promise<void> = Promise.resolve();
    this.#sockets.add(socket);
    if (socket instanceof TLSSocket) this.peers.push(nameIn(socket));
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    socket.on('data', (piece) => {
      try {
        // Requests of one connection are answered in their order.
        for (const request of reader.push(piece)) {
          before = before.then(() => this.#answer(request, socket, node, signIn)).catch(() => void socket.destroy());
        }
      } catch {
        socket.destroy();
      }
    });
  }

  async #answer(request: Request, socket: Socket, node: number, signIn: SignIn): Promise<void> {
    const name = apiOf(request);
    const send = (body: Buffer) => void (socket.writable && socket.write(responseOf(request.correlation, body)));
    if (name === undefined) {
      // Later versions of the first request are answered with the versions that there are.
      if (request.api === 18) return send(writeVersions(errors.unsupportedVersion));
      throw new RangeError(`request ${request.api} in version ${request.version}`);
    }
    this.asked.push(name);
    this.clients.add(request.client);
    if (!signIn.isDone && !unguarded.includes(name)) throw new Error('not signed in');
    await this.#held.get(name)?.promise;
    const body = await this.#work(name, request, node, signIn);
    if (name === 'saslAuthenticate' && signIn.isDone) this.signedIn.push(signIn.mechanism);
    if (body !== undefined) send(body);
  }

  #work(name: ApiName, { body, client }: Request, node: number, signIn: SignIn) {
    const injected = this.#injected.get(name);
    if (injected !== undefined && --injected.left <= 0) this.#injected.delete(name);
    return answer(name, body, this, { node, client, signIn }, injected?.code ?? errors.none);
  }
}

function nameIn(socket: TLSSocket): string | undefined {
  const name = socket.getPeerCertificate().subject?.CN;
  return Array.isArray(name) ? name[0] : name;
}
