import type { ConnectorValues, ServerPlace, SpokenForm, Values } from '@svc/protocol/schema';
import { type Scheme, serverAddress } from '../../../platform/net/server-url.ts';
import type { amqp } from './spec.ts';

export type AmqpConfig = Values<(typeof amqp)['config']>;
/** Where a broker is and how this side signs in. */
export type Address = ReturnType<typeof addressOf>;

const amqps: Scheme<'amqp' | 'amqps'> = { protocol: 'amqps', port: 5671 };
const schemes = { amqp: { protocol: 'amqp', port: 5672, secure: amqps }, amqps } as const;

/** The parts of `url` win over the attributes. Throws a Failure for one that cannot be read. */
export function addressOf(config: AmqpConfig) {
  const { username = 'guest', password = 'guest', path, ...server } = serverAddress(config, schemes);
  return { ...server, username, password, vhost: path ?? config.vhost ?? '/' };
}

/** The broker as it is described to others. Throws as `addressOf` does. */
export function serverOf(values: ConnectorValues): ServerPlace {
  const { text, protocol, vhost } = addressOf(values as unknown as AmqpConfig);
  return { host: text, protocol, ...(vhost !== '/' && { pathname: `/${vhost}` }) };
}

/** How the broker is spoken to. Throws as `addressOf` does. */
export function formOf(values: ConnectorValues): SpokenForm {
  const { host, port, isSecure } = addressOf(values as unknown as AmqpConfig);
  const otherwise = isSecure ? 'write amqp:// in url, without a tls block' : 'write amqps:// in url, or a tls block';
  return { host, port, tls: isSecure ? 'first' : 'never', otherwise };
}
