import { type BodyRule, list, text } from '@svc/protocol/schema';
import { clientAuthAttributes, clientAuthRules } from '../../net/oauth/spec.ts';

const https = {
  pattern: { source: '^https?://', says: 'must start with https:// (http:// only for this machine)' },
} as const;

/** What the client of this service at a provider says. */
export const clientAttributes = {
  client_id: text('Identifier of this service at the provider.', { required: true }),
  client_secret: text('Secret of this service at the provider, unless `client_auth` is another proof.', {
    secret: true,
  }),
  ...clientAuthAttributes,
} as const;

/** What holds of a client at a provider that knows no public ones. */
export const clientRules = [
  { rule: 'requiredWhen', name: 'client_secret', when: 'client_auth', is: [undefined] },
  ...clientAuthRules,
] as const satisfies readonly BodyRule[];

/** A secret that a public client does not have. */
export const optionalSecret = text(
  'Secret of this service at the provider; without it the service is a public client.',
  { secret: true },
);

export const scopes = (usual: string) => list(`What is asked for. Default: ${usual}.`, text('A scope.'));

export const webIdpAttributes = {
  ...clientAttributes,
  scopes: scopes('`openid`, `email`, `profile`'),
  issuer: text('Its issuer.', { ...https, default: 'https://accounts.google.com' }),
} as const;

export const codeHostAttributes = {
  ...clientAttributes,
  scopes: scopes('`read:user`, `user:email`'),
  auth_url: text('Where sign-ins begin.', { ...https, default: 'https://github.com/login/oauth/authorize' }),
  token_url: text('Where codes are exchanged.', { ...https, default: 'https://github.com/login/oauth/access_token' }),
  userinfo_url: text('Where profiles are.', { ...https, default: 'https://api.github.com/user' }),
  emails_url: text('Where the addresses of a user are, each with whether it is verified.', {
    ...https,
    default: 'https://api.github.com/user/emails',
  }),
} as const;

/** The issuer of the device maker, which has no endpoint for profiles. */
export const deviceIssuer = 'https://appleid.apple.com';

export const deviceAttributes = {
  client_id: clientAttributes.client_id,
  team_id: text('Identifier of the team, the issuer of client secrets.', { required: true }),
  key_id: text('Identifier of the key.', { required: true }),
  private_key: text('The key (PEM, P-256) that signs client secrets.', { required: true, secret: true }),
  scopes: scopes('`name`, `email`'),
  issuer: text('Its issuer.', { ...https, default: deviceIssuer }),
} as const;

export const openIdAttributes = {
  issuer: text('Its issuer, whose document `/.well-known/openid-configuration` says everything else.', {
    ...https,
    required: true,
    aliases: ['issuer_url'],
  }),
  client_id: clientAttributes.client_id,
  client_secret: optionalSecret,
  ...clientAuthAttributes,
  scopes: scopes('`openid`, `email`, `profile`'),
} as const;

/** The endpoints of a provider that publishes no document about itself. */
export const writtenAttributes = {
  client_id: clientAttributes.client_id,
  client_secret: optionalSecret,
  ...clientAuthAttributes,
  scopes: list('What is asked for. Default: nothing is named.', text('A scope.')),
  auth_url: text('Where sign-ins begin.', { ...https, required: true }),
  token_url: text('Where codes are exchanged.', { ...https, required: true }),
  userinfo_url: text('Where profiles are; without it nothing is known of who signed in.', https),
} as const;

/** Names of claims that an identity is read from, with the claim that is usual. */
export const usualClaims = {
  id: 'sub',
  email: 'email',
  email_verified: 'email_verified',
  name: 'name',
  picture: 'picture',
} as const;
