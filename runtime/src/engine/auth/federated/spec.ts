import { block, flag, map, oneOf, text } from '@svc/protocol/schema';
import { clientAuthRules } from '../../../platform/net/oauth/spec.ts';
import { tlsBlock } from '../../../platform/net/tls-spec.ts';
import {
  clientRules,
  codeHostAttributes,
  deviceAttributes,
  openIdAttributes,
  usualClaims,
  webIdpAttributes,
} from '../../../platform/oidc/providers/spec.ts';

const webIdp = block({
  doc: 'Sign-in with an account of the large web provider (OpenID Connect).',
  attributes: webIdpAttributes,
  blocks: { tls: tlsBlock },
  rules: clientRules,
  example: 'web_idp {\n  client_id     = env("WEB_CLIENT_ID")\n  client_secret = env("WEB_CLIENT_SECRET")\n}',
});

const codeHostIdp = block({
  doc: 'Sign-in with an account of the code host (OAuth 2.0).',
  attributes: codeHostAttributes,
  blocks: { tls: tlsBlock },
  rules: clientRules,
});

const deviceIdp = block({
  doc: 'Sign-in with an account of the device maker (OpenID Connect with a signed client secret; it posts its answer).',
  attributes: deviceAttributes,
});

export const social = block({
  doc: 'Sign-in with accounts that people have elsewhere, at `/auth/social/<name>`.',
  blocks: { web_idp: webIdp, code_host_idp: codeHostIdp, device_idp: deviceIdp },
  example:
    'social {\n  web_idp {\n    client_id     = env("WEB_CLIENT_ID")\n    client_secret = env("WEB_CLIENT_SECRET")\n  }\n}',
});

export const oidc = block({
  doc: 'Sign-in with any OpenID Connect provider, at `/auth/sso/<name>`.',
  label: { name: 'name', doc: 'Name of the provider in addresses and in linked accounts.' },
  repeated: true,
  attributes: {
    ...openIdAttributes,
    claims: map(
      `Claims that something is read from: ${Object.keys(usualClaims)
        .map((name) => `\`${name}\``)
        .join(', ')}, and further ones, which are kept in the metadata of the account.`,
      text('Name of a claim.'),
      { example: '{ email = "mail", department = "dept" }' },
    ),
  },
  blocks: { tls: tlsBlock },
  rules: clientAuthRules,
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
