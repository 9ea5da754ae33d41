import { block, flag, lifetime, list, oneOf, text } from '@svc/protocol/schema';

/** Algorithms that access and refresh tokens may be signed with (RFC 7518, section 3.1). */
export const algorithms = ['HS256', 'HS384', 'HS512', 'RS256', 'RS384', 'RS512'] as const;

export const jwt = block({
  doc: 'Access and refresh tokens. What is not written has the value of the preset.',
  attributes: {
    secret: text('Secret that tokens are signed with (HS algorithms); outside development 32 bytes or more.', {
      secret: true,
      example: 'env("JWT_SECRET")',
    }),
    private_key: text('RSA key in PEM that tokens are signed with (RS algorithms), of 2048 bits or more.', {
      secret: true,
      example: 'file("keys/sign-in.pem")',
    }),
    public_key: text('RSA key in PEM that signatures are checked with. Default: that of `private_key`.', {
      example: 'file("keys/sign-in.pub.pem")',
    }),
    previous_secrets: list(
      'Secrets that tokens were signed with before: accepted for checking only. They also open what was sealed with them.',
      text('Secret.', { secret: true }),
      { secret: true, example: '[env("FORMER_JWT_SECRET")]' },
    ),
    previous_public_keys: list(
      'RSA keys in PEM that tokens were signed with before: accepted for checking only, and published. With a private key its refresh tokens stay valid too; with a public one its access tokens alone.',
      text('Key in PEM.', { secret: true }),
      { secret: true, example: '[file("keys/sign-in-2029.pem")]' },
    ),
    access_typ: oneOf(
      '`typ` of access tokens. `at+jwt` is for those who check them by RFC 9068; it needs `issuer` and `audience`, and adds `client_id`. Both are accepted.',
      ['JWT', 'at+jwt'],
      { default: 'JWT' },
    ),
    algorithm: oneOf('Signature algorithm. No other one is accepted.', algorithms),
    access_lifetime: lifetime('How long an access token is valid.', { min: 1_000 }),
    refresh_lifetime: lifetime('How long a refresh token is valid.', { min: 1_000 }),
    issuer: text('`iss` claim of the tokens, and the only one that is accepted.'),
    audience: list('`aud` claim of the tokens; one that matches is enough to be accepted.', text('Audience.')),
    rotation: flag('A refresh token is valid once; a second use of it ends its session.'),
    reuse_leeway: lifetime('How long a spent refresh token is forgiven to the client that spent it.', {
      default: 0,
      max: 60_000,
    }),
    key_rotation: lifetime(
      'Age at which the service replaces an RSA key that it made itself; the former one is published until its last token has ended.',
      { min: 3_600_000, example: '"30d"' },
    ),
  },
  example: 'jwt {\n  secret          = env("JWT_SECRET")\n  access_lifetime = "30m"\n}',
});
