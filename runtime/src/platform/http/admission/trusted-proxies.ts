import type { AddressHeader, TrustedProxies } from '../../../foundation/contracts/http.ts';

/** What a `service` block says of proxies. */
interface Written {
  readonly trusted_proxies: readonly string[];
  readonly client_address: AddressHeader;
}

/** Which proxies a `service` block trusts, and which of their headers is read. */
export function trustedProxiesOf(block: Written | undefined): TrustedProxies {
  return { networks: block?.trusted_proxies ?? [], header: block?.client_address ?? 'x-forwarded-for' };
}
