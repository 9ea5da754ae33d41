import type { NodeOptions } from './node.ts';
import { messageOf } from './unreachable.ts';

/**
 * Says that a server could not be asked to stop what it does for a connection of this number. The connection is not used
 * again, and the server continues until it notices that.
 */
export function reportUnstopped({ log, connector, address }: NodeOptions, connection: number, error: unknown): void {
  log.warn('a statement could not be stopped: the server may continue with it', {
    connector,
    server: `${address.host}:${address.port}`,
    connection,
    error: messageOf(error),
  });
}
