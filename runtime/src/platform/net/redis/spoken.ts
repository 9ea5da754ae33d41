import type { ConnectorValues, SpokenForm } from '@svc/protocol/schema';
import { addressOf, type WrittenAddress } from './address.ts';

/** How a single server is spoken to. Throws a Failure for an address that cannot be read. */
export function redisForm(values: ConnectorValues): SpokenForm | undefined {
  if (values['mode'] !== 'standalone') return undefined;
  const { host, port, tls } = addressOf(values as unknown as WrittenAddress);
  const isSecure = tls !== undefined || (values['tls'] as { readonly enabled?: boolean } | undefined)?.enabled === true;
  const otherwise = isSecure ? 'write redis:// in url, without a tls block' : 'write rediss:// in url, or a tls block';
  return { host, port, tls: isSecure ? 'first' : 'never', otherwise };
}
