import cluster from 'node:cluster';
import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type ListenOptions, type Server } from 'node:net';

/**
 * Sockets of one address. Node takes one new connection of a socket in a turn of the event loop, and libuv has no setting
 * for more; under a burst of new connections that is too slow, though most only have to be refused.
 */
const usualSockets = 16;

interface Address {
  /** Absent for every interface. */
  readonly host?: string;
  readonly port: number;
}

/**
 * The listening sockets of one address, which share its port (`SO_REUSEPORT`) where the system has that: connections are
 * spread over them, and each gives one in a turn of the event loop. No other process gets in: a socket that does not share is
 * opened first, which fails while another listens, and a process that begins at the same moment is kept out by a lock. The workers of
 * a cluster have one socket each, since the primary hands them many connections in a turn.
 */
export class ListeningSockets {
  readonly #server: HttpServer;
  readonly #most: number;
  readonly #others: Server[] = [];

  /** `server` serves the connections of all sockets. */
  constructor(server: HttpServer, most = usualSockets) {
    this.#server = server;
    this.#most = process.platform === 'linux' && !cluster.isWorker ? most : 1;
  }

  get listening(): boolean {
    return this.#server.listening;
  }

  /** `host` is empty for every interface. Rejects with the error of the system when the address cannot be had. */
  async listen(host: string, port: number): Promise<AddressInfo> {
    const address = { port, ...(host !== '' && { host }) };
    if (this.#most === 1) await listening(this.#server, address);
    else await this.#listenShared(address);
    return this.#server.address() as AddressInfo;
  }

  /** Takes no more connections; what the system holds for the sockets is reset. Resolves when all connections have ended. */
  async close(): Promise<void> {
    await Promise.all([this.#server, ...this.#others].map(closed));
  }

  /** While it is set, connections are ended at once. */
  set full(full: boolean) {
    for (const server of [this.#server, ...this.#others]) server.maxConnections = full ? 0 : Number.POSITIVE_INFINITY;
  }

  async #listenShared(address: Address): Promise<void> {
    // A port that the system chooses belongs to no process, not even to those that share theirs.
    if (address.port === 0) return this.#listenTogether(address);
    const lock = await lockOf(address.port);
    // Beside one that opens the port at this moment: alone, so that one of the two fails.
    if (lock === undefined) return listening(this.#server, address);
    try {
      await probe(address);
      await this.#listenTogether(address);
    } finally {
      lock.close();
    }
  }

  async #listenTogether(address: Address): Promise<void> {
    try {
      await listening(this.#server, { ...address, reusePort: true });
    } catch {
      // A system may know the option and refuse it. Whatever else is wrong is wrong again.
      return listening(this.#server, address);
    }
    await this.#listenBeside(this.#server.address() as AddressInfo);
  }

  /** More sockets at the address. Those that cannot be opened are omitted. */
  async #listenBeside({ address: host, port }: AddressInfo): Promise<void> {
    const beside = Array.from({ length: this.#most - 1 }, async () => {
      // As Node's HTTP server has it.
      const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
        this.#server.emit('connection', socket),
      );
      await listening(server, { host, port, reusePort: true });
      server.on('error', (error) => this.#server.emit('error', error));
      this.#others.push(server);
    });
    await Promise.allSettled(beside);
  }
}

/** Fails while another socket listens at the address, shared or not. */
async function probe(address: Address): Promise<void> {
  const server = createServer();
  await listening(server, address);
  await closed(server);
}

/**
 * Held by one opening at a time for each port of the machine (of its network namespace, as ports are): the name of a socket that is
 * not a file, which the system takes back when the process ends. Undefined when it is taken.
 */
async function lockOf(port: number): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  return listening(server, { path: `\0svc/listen/${port}` }).then(
    () => server,
    () => undefined,
  );
}

function listening(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(options, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}
