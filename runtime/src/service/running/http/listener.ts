import type { BoundAddress, HttpAddress, HttpApplication } from '../../../foundation/contracts/http.ts';
import type { CutReason } from '../../../platform/http/sockets/listener.ts';

/**
 * Makes a listener for an application that is prepared. It opens nothing before `listen`; `cut` counts connections that
 * were ended because of their callers.
 */
export type CreateListener = (
  connectors: readonly string[],
  application: HttpApplication,
  cut: (reason: CutReason) => void,
) => Listener;

/** One listening socket. It outlives the generations of the service. */
export interface Listener {
  /**
   * Opens the socket on the application's host and port; its requests go to the application from then on.
   * Rejects with a Failure that names connectors and port when it cannot be bound.
   */
  listen(): Promise<BoundAddress>;
  /** Hands further requests to another application; those in progress stay with the old one. */
  swap(application: HttpApplication): void;
  /**
   * Answers close their connections from now on, so that callers connect elsewhere; new connections are still accepted.
   */
  retire(): void;
  /**
   * Accepts no new connections, ends idle ones at once and busy ones after their reply, which carries `Connection:
   * close`. What is left when `cut` fires is ended. Resolves when nothing is left, with the number of connections that
   * were cut.
   */
  close(cut: AbortSignal): Promise<number>;
}

/**
 * The key of an address, which does not change when a connector there is renamed. Ports chosen by the system belong to
 * their connector.
 */
export function addressKey(connector: string, { host, port }: HttpAddress): string {
  return port === 0 ? `${connector}@${host}:0` : `${host}:${port}`;
}

/** `http://host:port` for a person to click; every interface is shown as localhost. */
export function shownAddress({ host, port }: BoundAddress): string {
  const name = host === '' || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
