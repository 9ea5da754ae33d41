import { block, flag, list, map, oneOf, reference, text } from '@svc/protocol/schema';

/** A token (RFC 9110, 5.6.2), as a regular expression. */
export const headerName = "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$";

/** The `auth` block of connectors that serve HTTP, and of `workflow.api`. */
export const connectorAuth = block({
  doc: 'Who may call this server. Requests without a valid credential are refused with 401 before any flow runs.',
  attributes: {
    type: oneOf(
      'Kind of credential. `mtls` is the certificate that `tls.ca_cert` asks of clients, where a server speaks TLS itself.',
      ['jwt', 'api_key', 'basic', 'mtls'],
      { required: true },
    ),
    public: list('Paths that need no credential; one that ends in `/*` covers everything below.', text('Path.'), {
      example: '["/status", "/docs/*"]',
    }),
    required_headers: list(
      'Headers that every request outside `public` must carry; one that is missing is a 400.',
      text('Header name.', { pattern: { source: headerName, says: 'must be the name of a header' } }),
    ),
    response_headers: map(
      'Headers added to every response, refusals included.',
      text('Value.', {
        pattern: { source: '^[\\t\\x20-\\x7e\\x80-\\xff]*$', says: 'must be one line of Latin-1 text' },
      }),
    ),
    secret: text('Secret that HMAC-signed tokens are checked with (jwt); outside development 32 bytes or more.', {
      secret: true,
    }),
    public_key: text('Public key in PEM that signed tokens are checked with (jwt); RSA of 2048 bits or more.', {
      example: 'file("keys/issuer.pem")',
    }),
    jwks_url: text('Address of the key set that signed tokens are checked with (jwt).', {
      pattern: { source: '^https?://', says: 'must start with http:// or https://' },
    }),
    issuer: text('Required `iss` claim (jwt).'),
    audience: list('Accepted `aud` claims; one that matches is enough (jwt).', text('Audience.')),
    algorithms: list(
      'Accepted signature algorithms (jwt). Default: HS256 with a secret, the asymmetric ones with keys.',
      oneOf('Algorithm.', [
        'HS256',
        'HS384',
        'HS512',
        'RS256',
        'RS384',
        'RS512',
        'PS256',
        'PS384',
        'PS512',
        'ES256',
        'ES384',
        'ES512',
        'EdDSA',
      ]),
    ),
    require_exp: flag(
      'false accepts tokens that say no time at which they end (jwt). Such a token is valid for ever.',
      {
        default: true,
      },
    ),
    header: text('Header that carries the credential. Default: `Authorization` (jwt), `X-API-Key` (api_key).'),
    scheme: text('Word in front of the token (jwt).', { default: 'Bearer' }),
    keys: list('Accepted keys (api_key).', text('Key.', { secret: true }), { secret: true }),
    query_param: text('Query parameter that may carry the key instead of the header (api_key).'),
    users: map('User names with their passwords (basic).', text('Password.', { secret: true }), { secret: true }),
    realm: text('Realm named in the challenge (basic).', { default: 'Restricted' }),
  },
  blocks: {
    validate: block({
      doc: 'Looks the presented key up in a database instead of `keys` (api_key): one row or more accepts it, and its column `user_id` names the caller.',
      attributes: {
        connector: reference('Database that knows the keys.', 'connector', { required: true }),
        query: text('Statement that selects the row of the key `:key`.', {
          required: true,
          example: '"SELECT user_id, plan FROM api_keys WHERE key_hash = :key"',
        }),
      },
    }),
  },
  rules: [{ rule: 'requiredWhen', name: 'users', when: 'type', is: ['basic'] }],
  example: 'auth {\n  type   = "jwt"\n  secret = env("JWT_SECRET")\n  public = ["/status"]\n}',
});
