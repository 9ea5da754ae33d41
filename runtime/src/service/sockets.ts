import type { HttpApplication } from '../contracts/http.ts';
import type { CutReason } from '../http/listener.ts';
import type { Log } from '../observe/log.ts';
import { type BoundAddress, type CreateListener, type Listener, shownAddress, socketKey } from './listener.ts';

type Applications = ReadonlyMap<string, HttpApplication>;

interface OpenSocket {
  connector: string;
  readonly address: BoundAddress;
  readonly listener: Listener;
}

/** The sockets that the generations of one service share: which are open, and for which connector. */
export class Sockets {
  readonly #create: CreateListener;
  readonly #log: Log;
  readonly #cut: (connector: string, reason: CutReason) => void;
  readonly #open = new Map<string, OpenSocket>();

  /** `cut` counts connections that were ended because of their callers. */
  constructor(create: CreateListener, log: Log, cut: (connector: string, reason: CutReason) => void) {
    this.#create = create;
    this.#log = log;
    this.#cut = cut;
  }

  /** Where each HTTP connector listens. */
  get addresses(): ReadonlyMap<string, BoundAddress> {
    return new Map([...this.#open.values()].map(({ connector, address }) => [connector, address]));
  }

  /** Opens those of the applications' sockets that are not open. Rejects when one cannot be bound; none of these stays open then. */
  async open(applications: Applications): Promise<void> {
    const missing = keyed(applications).filter(({ key }) => !this.#open.has(key));
    const bound = await Promise.allSettled(
      missing.map(async ({ key, connector, application }) => {
        const listener = this.#create(connector, application, (reason) => this.#cut(connector, reason));
        const address = await listener.listen();
        this.#open.set(key, { connector, address, listener });
        this.#log.info('listening', { connector, address: shownAddress(address) });
      }),
    );
    const failed = bound.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    await Promise.all(missing.map(({ key }) => this.#close(key, AbortSignal.abort())));
    throw failed.reason;
  }

  /** Hands the requests of every open socket to the application that is written for it now. */
  swap(applications: Applications): void {
    for (const { key, connector, application } of keyed(applications)) {
      const socket = this.#open.get(key);
      if (socket === undefined) continue;
      socket.connector = connector;
      socket.listener.swap(application);
    }
  }

  /** Closes the sockets that none of the applications uses. */
  async closeUnused(applications: Applications, cut: AbortSignal): Promise<void> {
    const used = new Set(keyed(applications).map(({ key }) => key));
    await Promise.all([...this.#open.keys()].filter((key) => !used.has(key)).map((key) => this.#close(key, cut)));
  }

  /** Callers are asked to move elsewhere; everything is still served. */
  retire(): void {
    for (const { listener } of this.#open.values()) listener.retire();
  }

  async close(cut: AbortSignal): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.#close(key, cut)));
  }

  async #close(key: string, cut: AbortSignal): Promise<void> {
    const socket = this.#open.get(key);
    this.#open.delete(key);
    await socket?.listener.close(cut);
  }
}

function keyed(applications: Applications) {
  return [...applications].map(([connector, application]) => ({
    key: socketKey(connector, application),
    connector,
    application,
  }));
}
