import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { Values } from '@svc/protocol/schema';
import { Intake } from '../../../runtime/src/connectors/intake/intake.ts';
import type { Connector, ConnectorServices, Factory } from '../../../runtime/src/foundation/contracts/connector.ts';
import { Failure } from '../../../runtime/src/foundation/errors/failure.ts';
import { type Codec, codecOf } from '../../../runtime/src/platform/formats/registry.ts';
import { fired } from '../../../runtime/src/platform/net/fired.ts';
import { type End, LineDriver } from './driver.ts';
import { linesOf } from './line-reader.ts';
import type { linesServer } from './spec.ts';

type Config = Values<(typeof linesServer)['config']>;

export const create: Factory<typeof linesServer> = (name, config, services) => new LineServer(name, config, services);

/** Listens on a port. What all event sources share is the intake's. */
class LineServer implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly #config: Config;
  readonly #services: ConnectorServices;
  readonly #driver: LineDriver;
  readonly #clients = new Set<Socket>();
  #server: Server | undefined;
  #json: Codec | undefined;
  #made = 0;

  constructor(name: string, config: Config, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#driver = new LineDriver(`${config.host}:${config.port}`, config.workers);
    this.source = new Intake(this.#driver, { connector: name, services });
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#server !== undefined) return;
    this.#json = await codecOf('json');
    const { host, port } = this.#config;
    const server = createServer((socket) => void this.#serve(socket));
    try {
      server.listen(port, host);
      await once(server, 'listening', { signal });
    } catch (error) {
      server.close();
      throw this.#failure(`cannot listen on ${host}:${port}: ${(error as Error).message}`, error);
    }
    this.#server = server;
    await this.source.connected();
  }

  /** What is under way is answered before its client is disconnected, unless the time for that is over. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#server?.close();
    this.#server = undefined;
    await this.source.stop(cut);
    this.source.disconnected();
    this.#driver.clear();
    const gone = [...this.#clients].map((socket) => once(socket, 'close'));
    for (const socket of this.#clients) socket.destroySoon();
    await Promise.race([Promise.all(gone), fired(cut)]);
    for (const socket of this.#clients) socket.destroy();
  }

  async check(): Promise<void> {
    if (this.#server === undefined) throw this.#failure('it does not listen');
  }

  /** Reads the next line of a client when the answer to the one before it was taken. */
  async #serve(socket: Socket): Promise<void> {
    const { max_clients, max_line, idle_timeout, token } = this.#config;
    if (this.#clients.size >= max_clients) return void socket.destroy();
    const client = String(++this.#made);
    this.#clients.add(socket);
    socket.on('close', () => this.#clients.delete(socket));
    socket.on('error', () => undefined);
    socket.setTimeout(idle_timeout, () => socket.destroy());
    let isAdmitted = token === undefined;
    try {
      for await (const line of linesOf(socket, max_line)) {
        if (!isAdmitted) {
          if (!isSame(line, token as string)) return;
          isAdmitted = true;
        } else if (line.length === 0) await write(socket, '');
        else await write(socket, this.#answer(await this.#driver.offer(line, client)));
      }
    } catch (error) {
      this.#services.log.debug('a client was disconnected', { reason: (error as Error).message });
    } finally {
      socket.destroySoon();
    }
  }

  #answer(end: End): string {
    const { production, log } = this.#services;
    const json = this.#json as Codec;
    if (end instanceof Failure) {
      const isShown = end.kind.callers || !production;
      return String(json.encode({ error: end.code, ...(isShown && { message: end.message }) }));
    }
    if (end.kind === 'drop') return String(json.encode({ dropped: end.reason }));
    try {
      return String(json.encode(end.value));
    } catch (error) {
      log.error('an answer cannot be written', { error: (error as Error).message });
      return String(json.encode({ error: 'internal' }));
    }
  }

  #failure(message: string, cause?: unknown): Failure {
    return new Failure('connector_refused', message, { cause, at: { connector: this.name } });
  }
}

/** Resolves when the line was handed to the network, or can no longer be. */
function write(socket: Socket, line: string): Promise<void> {
  return new Promise((resolve) => socket.write(`${line}\n`, () => resolve()));
}

/** Compares in a time that does not tell how much of the token is right. */
function isSame(line: Buffer, token: string): boolean {
  const digest = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest();
  return timingSafeEqual(digest(line), digest(token));
}
