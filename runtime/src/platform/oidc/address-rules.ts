/** What a discovery address ends with (OpenID Connect Discovery 1.0, 4). */
const wellKnown = '/.well-known/openid-configuration';

/**
 * Why an address of a provider cannot be used, for people; undefined when it can. Tokens and secrets go there, so that it
 * is `https`, but for servers on the same machine.
 */
export function addressProblem(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an address that begins with https://';
  if (url.username !== '' || url.password !== '') return 'holds a user name or password';
  if (url.hash !== '') return 'holds a `#`';
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return 'does not begin with https://, which only an address of this machine need not';
  return undefined;
}

/** Why an issuer cannot be used, for people; undefined when it can. It is an issuer, or the address of its document. */
export function issuerProblem(issuer: string): string | undefined {
  if (/[{}]|%7b/i.test(issuer))
    return 'holds a template, which is not supported: write the issuer of one tenant, once for each tenant';
  const url = URL.parse(issuer);
  if (url !== null && url.search !== '') return 'holds a `?`';
  return addressProblem(issuer);
}

/** The document of an issuer, and the issuers that it may name: one, or two where the document itself was written. */
export function discoveryOf(issuer: string): { readonly url: string; readonly issuers: readonly string[] } {
  const bare = issuer.endsWith(wellKnown) ? issuer.slice(0, -wellKnown.length) : issuer;
  const url = bare.replace(/\/$/, '') + wellKnown;
  return { url, issuers: bare === issuer ? [issuer] : [bare, `${bare}/`] };
}

/** Hosts of URL are in one spelling: `0x7f.1` is `127.0.0.1`. Names below `localhost` may be anywhere. */
function isLoopback(host: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/.test(host);
}
