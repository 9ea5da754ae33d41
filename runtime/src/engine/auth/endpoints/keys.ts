import type { AuthSettings } from '../settings.ts';
import { issuerAddress, isTrustworthy } from '../tokens/issuer.ts';
import type { Endpoint } from './endpoint.ts';
import { placedEndpoints } from './places.ts';

const cacheControl = 'public, max-age=60';

/** The public keys of the tokens, for other services that check them (RFC 7517). */
export const keysEndpoint: Endpoint = {
  name: 'jwks',
  bucket: undefined,
  signedIn: false,
  async answer(_request, { keys, settings }) {
    const published = await keys.published();
    const body = { keys: published.map((key) => ({ ...key, alg: settings.jwt.algorithm })) };
    return { body, cacheControl };
  },
};

/**
 * Who issues the tokens and where their keys are (RFC 8414; OpenID Connect Discovery 1.0). The service grants nothing to
 * clients of others: lists that must be there are empty, so that their defaults are not claimed.
 */
export const discoveryEndpoint: Endpoint = {
  name: 'discovery',
  bucket: undefined,
  signedIn: false,
  async answer(_request, { settings }) {
    const { issuer, algorithm } = settings.jwt;
    const body = {
      issuer,
      jwks_uri: keysAddress(settings),
      id_token_signing_alg_values_supported: [algorithm],
      subject_types_supported: ['public'],
      response_types_supported: [],
      grant_types_supported: [],
    };
    return { body, cacheControl };
  },
};

/** Where the keys are read: below `base_url`, or at the host of the issuer. */
function keysAddress(settings: AuthSettings): string {
  const path = placedEndpoints(settings).find(({ name }) => name === 'jwks')?.path ?? '';
  const base = settings.base_url === undefined ? null : URL.parse(settings.base_url);
  if (base !== null && isTrustworthy(base)) return `${settings.base_url?.replace(/\/+$/, '')}${path}`;
  return `${issuerAddress(settings.jwt.issuer)?.origin}${path}`;
}
