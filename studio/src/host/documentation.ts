/** Hosts whose https pages may be opened outside of the studio. */
const allowed = new Set(['github.com', 'developer.mozilla.org', 'cel.dev']);

/** The address when it is one that the studio may open. Throws when it is not. */
export function documentationAddress(url: string): string {
  const address = URL.canParse(url) ? new URL(url) : undefined;
  const isPlain = address?.protocol === 'https:' && address.username === '' && address.port === '';
  if (address === undefined || !isPlain || !allowed.has(address.hostname))
    throw new Error('only pages of the documentation are opened');
  return address.href;
}
