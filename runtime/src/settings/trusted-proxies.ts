import type { Values } from '@svc/protocol/schema';
import type { TrustedProxies } from '../contracts/http.ts';
import type { service } from './spec.ts';

type Written = Pick<Values<typeof service>, 'trusted_proxies' | 'client_address'>;

/** Which proxies a `service` block trusts, and which of their headers is read. */
export function trustedProxiesOf(block: Written | undefined): TrustedProxies {
  return { networks: block?.trusted_proxies ?? [], header: block?.client_address ?? 'x-forwarded-for' };
}
