import type { ConnectorValues, ServerPlace, SoleMember, SpokenForm } from '@svc/protocol/schema';
import { hostAndPort, type Scheme, serverAddress, type WrittenAddress } from '../../platform/net/server-url.ts';

/** The attributes that say where a broker is, and how it is spoken to. */
interface WrittenBroker extends Pick<WrittenAddress, 'username' | 'password' | 'tls'> {
  readonly broker: string;
  readonly protocol_version: string;
}

type Protocol = 'mqtt' | 'mqtts' | 'ws' | 'wss';

const mqtts: Scheme<Protocol> = { protocol: 'mqtts', port: 8883 };
const plain: Scheme<Protocol> = { protocol: 'mqtt', port: 1883, secure: mqtts };
const wss: Scheme<Protocol> = { protocol: 'wss', port: 443 };
const ws: Scheme<Protocol> = { protocol: 'ws', port: 80, secure: wss };
const schemes = { tcp: plain, ssl: mqtts, tls: mqtts, mqtt: plain, mqtts, ws, wss } as const;

/** The broker as it is described to others. Throws as `addressOf` does. */
export function serverOf(values: ConnectorValues): ServerPlace {
  const config = values as unknown as WrittenBroker;
  const { host, port, protocol, path } = addressOf(config);
  const pathname = path?.replace(/\?.*$/s, '');
  return {
    host: hostAndPort(host, port),
    protocol,
    protocolVersion: config.protocol_version,
    ...(pathname !== undefined && pathname !== '/' && { pathname }),
  };
}

/** The client as its broker knows it; undefined where it has no id of its own, or an address that cannot be read. */
export function clientOf(values: ConnectorValues): SoleMember | undefined {
  const { client_id: id } = values;
  if (id === undefined) return undefined;
  try {
    return { name: `client "${id}"`, servers: [serverOf(values).host], at: ['client_id'] };
  } catch {
    return undefined;
  }
}

/** Where a broker is and how this side signs in. Throws a Failure for an address that cannot be read. */
export function addressOf({ broker: url, username, password, tls }: WrittenBroker) {
  const address = serverAddress({ url, username, password, tls }, schemes);
  const text = `${address.scheme}://${address.text}`;
  if (address.protocol !== 'ws' && address.protocol !== 'wss') return { ...address, text, path: undefined };
  // Path and options of its address belong to the request of a WebSocket.
  return { ...address, text, path: address.target, ignored: [] };
}

/** How the broker is spoken to. Throws as `addressOf` does. */
export function formOf(values: ConnectorValues): SpokenForm {
  const { host, port, isSecure, protocol } = addressOf(values as unknown as WrittenBroker);
  const [clear, secure] = protocol.startsWith('ws') ? ['ws', 'wss'] : ['tcp', 'ssl'];
  const otherwise = isSecure
    ? `write ${clear}:// in broker, without a tls block`
    : `write ${secure}:// in broker, or a tls block`;
  return { host, port, tls: isSecure ? 'first' : 'never', otherwise };
}
