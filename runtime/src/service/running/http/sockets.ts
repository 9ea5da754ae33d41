import type { BoundAddress, HttpApplication } from '../../../foundation/contracts/http.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { CutReason } from '../../../platform/http/sockets/listener.ts';
import { addressKey, type CreateListener, type Listener, shownAddress } from './listener.ts';

/** What is served at an address, and for which connectors. */
export interface ServedAddress extends HttpApplication {
  readonly connectors: readonly string[];
}

type Addresses = readonly ServedAddress[];

interface OpenSocket {
  connectors: readonly string[];
  readonly address: BoundAddress;
  readonly listener: Listener;
}

/** The sockets that the generations of one service share: which are open, and for which connectors. */
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
    return new Map(
      [...this.#open.values()].flatMap(({ connectors, address }) => connectors.map((name) => [name, address] as const)),
    );
  }

  /** Opens those of the addresses that are not open. Rejects when one cannot be bound; none of these stays open then. */
  async open(addresses: Addresses): Promise<void> {
    const missing = keyed(addresses).filter(({ key }) => !this.#open.has(key));
    const bound = await Promise.allSettled(
      missing.map(async ({ key, served }) => {
        const { connectors } = served;
        const [first = ''] = connectors;
        const listener = this.#create(connectors, served, (reason) => this.#cut(first, reason));
        const address = await listener.listen();
        this.#open.set(key, { connectors, address, listener });
        this.#log.info('listening', { connector: connectors.join(', '), address: shownAddress(address) });
      }),
    );
    const failed = bound.find((result) => result.status === 'rejected');
    if (failed === undefined) return;
    await Promise.all(missing.map(({ key }) => this.#close(key, AbortSignal.abort())));
    throw failed.reason;
  }

  /** Sends the requests of every open socket to the application that is now configured for it. */
  swap(addresses: Addresses): void {
    for (const { key, served } of keyed(addresses)) {
      const socket = this.#open.get(key);
      if (socket === undefined) continue;
      socket.connectors = served.connectors;
      socket.listener.swap(served);
    }
  }

  /** Closes the sockets of other addresses. */
  async closeUnused(addresses: Addresses, cut: AbortSignal): Promise<void> {
    const used = new Set(keyed(addresses).map(({ key }) => key));
    await Promise.all([...this.#open.keys()].filter((key) => !used.has(key)).map((key) => this.#close(key, cut)));
  }

  /** Asks callers to connect elsewhere; everything is still served. */
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

function keyed(addresses: Addresses) {
  return addresses.map((served) => ({ key: addressKey(served.connectors[0] ?? '', served), served }));
}
