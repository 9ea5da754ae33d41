import { block, flag, list, map, oneOf, text } from '@svc/protocol/schema';

const https = {
  pattern: { source: '^https?://', says: 'must start with https:// (http:// only for this machine)' },
} as const;
const clientId = text('Identifier of this service at the provider.', { required: true });
const clientSecret = text('Secret of this service at the provider.', { secret: true, required: true });
const scopes = (usual: string) => list(`What is asked for. Default: ${usual}.`, text('A scope.'));

const webIdp = block({
  doc: 'Sign-in with an account of the large web provider (OpenID Connect).',
  attributes: {
    client_id: clientId,
    client_secret: clientSecret,
    scopes: scopes('`openid`, `email`, `profile`'),
    issuer: text('Its issuer.', { ...https, default: 'https://accounts.google.com' }),
  },
  example: 'web_idp {\n  client_id     = env("WEB_CLIENT_ID")\n  client_secret = env("WEB_CLIENT_SECRET")\n}',
});

const codeHostIdp = block({
  doc: 'Sign-in with an account of the code host (OAuth 2.0).',
  attributes: {
    client_id: clientId,
    client_secret: clientSecret,
    scopes: scopes('`read:user`, `user:email`'),
    auth_url: text('Where sign-ins begin.', { ...https, default: 'https://github.com/login/oauth/authorize' }),
    token_url: text('Where codes are exchanged.', {
      ...https,
      default: 'https://github.com/login/oauth/access_token',
    }),
    userinfo_url: text('Where profiles are.', { ...https, default: 'https://api.github.com/user' }),
    emails_url: text('Where the addresses of a user are, each with whether it is verified.', {
      ...https,
      default: 'https://api.github.com/user/emails',
    }),
  },
});

const deviceIdp = block({
  doc: 'Sign-in with an account of the device maker (OpenID Connect with a signed client secret; it posts its answer).',
  attributes: {
    client_id: clientId,
    team_id: text('Identifier of the team, the issuer of client secrets.', { required: true }),
    key_id: text('Identifier of the key.', { required: true }),
    private_key: text('The key (PEM, P-256) that signs client secrets.', { required: true, secret: true }),
    scopes: scopes('`name`, `email`'),
    issuer: text('Its issuer.', { ...https, default: 'https://appleid.apple.com' }),
  },
});

export const social = block({
  doc: 'Sign-in with accounts that people have elsewhere, at `/auth/social/<name>`.',
  blocks: { web_idp: webIdp, code_host_idp: codeHostIdp, device_idp: deviceIdp },
  example:
    'social {\n  web_idp {\n    client_id     = env("WEB_CLIENT_ID")\n    client_secret = env("WEB_CLIENT_SECRET")\n  }\n}',
});

/** Names of claims that an identity is read from, with the claim that is usual. */
export const usualClaims = {
  id: 'sub',
  email: 'email',
  email_verified: 'email_verified',
  name: 'name',
  picture: 'picture',
} as const;

export const oidc = block({
  doc: 'Sign-in with any OpenID Connect provider, at `/auth/sso/<name>`.',
  label: { name: 'name', doc: 'Name of the provider in addresses and in linked accounts.' },
  repeated: true,
  attributes: {
    issuer: text('Its issuer, whose document `/.well-known/openid-configuration` says everything else.', {
      ...https,
      required: true,
      aliases: ['issuer_url'],
    }),
    client_id: clientId,
    client_secret: text('Secret of this service at the provider; without it the service is a public client.', {
      secret: true,
    }),
    scopes: scopes('`openid`, `email`, `profile`'),
    claims: map(
      `Claims that something is read from: ${Object.keys(usualClaims)
        .map((name) => `\`${name}\``)
        .join(', ')}, and further ones, which are kept in the metadata of the account.`,
      text('Name of a claim.'),
      { example: '{ email = "mail", department = "dept" }' },
    ),
  },
  example:
    'oidc "company" {\n  issuer        = "https://id.example.test"\n  client_id     = "library"\n  client_secret = env("COMPANY_SECRET")\n}',
});

export const linking = block({
  doc: 'When an identity of `social` or `oidc` is linked to an account that exists.',
  attributes: {
    enabled: flag('false: no identity is linked at a sign-in; accounts link identities themselves.', { default: true }),
    match_by: oneOf('What an account is found by.', ['email', 'none'], { default: 'email' }),
    on_match: oneOf(
      '`link`: it is linked where both sides have verified the address; `reject`: the sign-in is refused.',
      ['link', 'reject'],
      { default: 'link' },
    ),
    require_verification: flag('An address that is not verified on both sides links nothing; false is refused.', {
      default: true,
    }),
  },
  rules: [
    {
      rule: 'refused',
      name: 'require_verification',
      is: false,
      says: 'an address that is not verified would give the account to anyone who claims it',
    },
  ],
});

export const sso = block({
  doc: 'Rules of linking, and another place for `oidc` blocks.',
  blocks: { oidc, linking },
  example:
    'sso {\n  oidc "company" {\n    issuer    = "https://id.example.test"\n    client_id = "library"\n  }\n  linking {\n    on_match = "reject"\n  }\n}',
});
