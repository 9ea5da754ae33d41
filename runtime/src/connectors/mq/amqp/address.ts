import type { ConnectorValues, ServerPlace, SpokenForm } from '@svc/protocol/schema';
import { type Scheme, serverAddress, type WrittenAddress } from '../../../platform/net/server-url.ts';

/** The attributes that say where a broker is. */
interface WrittenBroker extends WrittenAddress {
  readonly vhost?: string | undefined;
}

/** Where a broker is and how this side signs in. */
export type Address = ReturnType<typeof addressOf>;

const amqps: Scheme<'amqp' | 'amqps'> = { protocol: 'amqps', port: 5671 };
const schemes = { amqp: { protocol: 'amqp', port: 5672, secure: amqps }, amqps } as const;

/** The parts of `url` win over the attributes. Throws a Failure for one that cannot be read. */
export function addressOf(config: WrittenBroker) {
  const { username = 'guest', password = 'guest', path, ...server } = serverAddress(config, schemes);
  return { ...server, username, password, vhost: path ?? config.vhost ?? '/' };
}

/** The broker as it is described to others. Throws as `addressOf` does. */
export function serverOf(values: ConnectorValues): ServerPlace {
  const { text, protocol, vhost } = addressOf(values as WrittenBroker);
  return { host: text, protocol, ...(vhost !== '/' && { pathname: `/${vhost}` }) };
}

/** How the broker is spoken to. Throws as `addressOf` does. */
export function formOf(values: ConnectorValues): SpokenForm {
  const { host, port, isSecure } = addressOf(values as WrittenBroker);
  const otherwise = isSecure ? 'write amqp:// in url, without a tls block' : 'write amqps:// in url, or a tls block';
  return { host, port, tls: isSecure ? 'first' : 'never', otherwise };
}
