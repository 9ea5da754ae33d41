import type { ConnectorValues, ServerPlace, SpokenForm } from '@svc/protocol/schema';
import { type Scheme, serverAddress, type WrittenAddress } from '../../../platform/net/server-url.ts';

const tls: Scheme<'nats' | 'tls'> = { protocol: 'tls', port: 4222 };
const schemes = { nats: { protocol: 'nats', port: 4222, secure: tls }, tls } as const;

/** Where the server is. The parts of `url` win over the attributes. Throws a Failure for one that cannot be read. */
export function addressOf(config: WrittenAddress) {
  const address = serverAddress(config, schemes);
  const ignored = address.path === undefined ? address.ignored : ['path', ...address.ignored];
  return { ...address, ignored };
}

/** The server as it is described to others. Throws as `addressOf` does. */
export function serverOf(values: ConnectorValues): ServerPlace {
  const { text, isSecure } = addressOf(values as WrittenAddress);
  return { host: text, protocol: isSecure ? 'tls' : 'nats' };
}

/** How the server is spoken to: TLS is begun when it has greeted. Throws as `addressOf` does. */
export function formOf(values: ConnectorValues): SpokenForm {
  const { host, port, isSecure } = addressOf(values as WrittenAddress);
  const otherwise = 'turn handshake_first of the server off';
  const without = 'write nats:// in url, without a tls block';
  return { host, port, tls: isSecure ? 'later' : 'never', otherwise, without };
}
