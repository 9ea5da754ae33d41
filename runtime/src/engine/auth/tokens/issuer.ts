/** Hosts of this machine (RFC 6761, 6.3; RFC 8252, 7.3). */
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|([a-z0-9-]+\.)+localhost)$/i;

/** Whether what is fetched from an address is not changed on the way: by HTTPS, or on this machine. */
export function isTrustworthy({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && loopback.test(hostname));
}

/**
 * The address that an `iss` claim is, where others can find out about it there (RFC 8414, section 2): without query,
 * fragment and credentials. Undefined where it is not one.
 */
export function issuerAddress(issuer: string | undefined): URL | undefined {
  const url = issuer === undefined ? null : URL.parse(issuer);
  if (url === null || !isTrustworthy(url) || /[?#]/.test(issuer ?? '')) return undefined;
  return url.username === '' && url.password === '' ? url : undefined;
}
