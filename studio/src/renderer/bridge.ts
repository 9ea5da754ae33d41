import { type Channel, RpcClient, socketChannel } from '@svc/protocol/wire';
import {
  type Bridge,
  type ExposedBridge,
  type HostEventName,
  type HostEvents,
  hostEvents,
  type ServiceName,
  type ServiceResult,
} from '../shared/services.ts';

declare global {
  interface Window {
    /** Put there by Electron's preload script; absent in a browser. */
    readonly studio?: ExposedBridge;
  }
}

/** The way to the host: what the preload script exposed, or a socket to `svc studio`. */
export function openBridge(onLost: (lost: boolean) => void): Bridge {
  return window.studio === undefined ? new SocketBridge(onLost) : exposedBridge(window.studio);
}

function exposedBridge({ operatingSystem, call, on }: ExposedBridge): Bridge {
  return {
    host: 'electron',
    operatingSystem,
    call: (name, params) => (call[name] as (given: unknown) => Promise<never>)(params),
    on: (event, listen) => (on[event] as (listen: unknown) => () => void)(listen),
  };
}

type Listen = (params: never) => void;

/** One socket, opened again whenever it is lost; calls made meanwhile wait for the next one. */
class SocketBridge implements Bridge {
  readonly host = 'browser';
  readonly operatingSystem = systemOf(navigator.userAgent);
  readonly #listeners = new Map<HostEventName, Set<Listen>>();
  readonly #onLost: (lost: boolean) => void;
  #client: Promise<RpcClient>;

  constructor(onLost: (lost: boolean) => void) {
    this.#onLost = onLost;
    this.#client = this.#connect();
  }

  async call<S extends ServiceName>(name: S, params: unknown): Promise<ServiceResult<S>> {
    return (await (await this.#client).call(name, params)) as ServiceResult<S>;
  }

  on<E extends HostEventName>(event: E, listen: (params: HostEvents[E]) => void): () => void {
    let listeners = this.#listeners.get(event);
    if (listeners === undefined) this.#listeners.set(event, (listeners = new Set()));
    listeners.add(listen as Listen);
    return () => listeners.delete(listen as Listen);
  }

  #tell(event: HostEventName, params: unknown): void {
    for (const listen of this.#listeners.get(event) ?? []) listen(params as never);
  }

  async #connect(): Promise<RpcClient> {
    for (let pause = 250; ; pause = Math.min(pause * 2, 4_000)) {
      try {
        const client = new RpcClient(await openSocket(new URL('bridge', window.location.href)));
        for (const event of hostEvents) client.on(event, (params) => this.#tell(event, params));
        void client.closed.then(() => {
          this.#onLost(true);
          this.#client = this.#connect();
        });
        this.#onLost(false);
        return client;
      } catch {
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

function openSocket(address: URL): Promise<Channel> {
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  const socket = new WebSocket(address);
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => resolve(socketChannel(socket)), { once: true });
    socket.addEventListener('error', () => reject(new Error('the studio host cannot be reached')), { once: true });
  });
}

function systemOf(agent: string): Bridge['operatingSystem'] {
  if (agent.includes('Mac')) return 'macos';
  return agent.includes('Windows') ? 'windows' : 'linux';
}
