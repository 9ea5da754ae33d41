import type { HttpApplication } from '../connectors/contract.ts';

/** Owns the sockets of HTTP servers across generations. A key names one socket, whatever serves it. */
export interface Listener {
  /**
   * Opens a socket on the application's host and port and hands its requests to the application.
   * Rejects with a Failure that names the address when it cannot be bound.
   */
  listen(key: string, application: HttpApplication): Promise<BoundAddress>;
  /** From now on the socket's requests go to another application; those under way stay with the old one. */
  swap(key: string, application: HttpApplication): void;
  /**
   * Takes no new connections, ends idle ones at once and busy ones after their reply, which says `Connection: close`.
   * Resolves when none is left. When `cut` fires, what is left is ended.
   */
  close(key: string, cut: AbortSignal): Promise<void>;
}

export interface BoundAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * The key of an application's socket: its address, so that a connector may be renamed without closing it. Ports chosen
 * by the system belong to their connector.
 */
export function socketKey(connector: string, { host, port }: HttpApplication): string {
  return port === 0 ? `${connector}@${host}:0` : `${host}:${port}`;
}

/** `http://host:port` for a person to click; every interface is shown as localhost. */
export function shownAddress({ host, port }: BoundAddress): string {
  const name = host === '' || host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
