import type { Endpoint } from './endpoint.ts';

/** The public keys of the tokens, for other services that check them (RFC 7517). */
export const keysEndpoint: Endpoint = {
  name: 'jwks',
  bucket: undefined,
  signedIn: false,
  async answer(_request, { keys, settings }) {
    const published = await keys.published();
    const body = { keys: published.map((key) => ({ ...key, alg: settings.jwt.algorithm })) };
    return { body, cacheControl: 'public, max-age=60' };
  },
};
