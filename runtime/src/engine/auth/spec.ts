import { block, list, map, oneOf, text } from '@svc/protocol/schema';
import { users } from './accounts/spec.ts';
import { audit } from './audit/spec.ts';
import { endpoints, routes } from './endpoints/spec.ts';
import { provider } from './external/spec.ts';
import { mfa } from './factors/spec.ts';
import { linking, oidc, social, sso } from './federated/spec.ts';
import { hooks } from './hooks/spec.ts';
import { password } from './passwords/spec.ts';
import { presetNames } from './presets.ts';
import { security } from './protection/spec.ts';
import { sessions } from './sessions/spec.ts';
import { storage } from './store/spec.ts';
import { jwt } from './tokens/spec.ts';

/** The root block `auth`. */
export const auth = block({
  doc: 'The sign-in system of the service: accounts, passwords, tokens and sessions, served under a prefix of every server of routes.',
  attributes: {
    preset: oneOf('What everything has that is not written.', presetNames, { default: 'standard' }),
    secret: text('Short for `jwt { secret }`.', { secret: true }),
    base_url: text('Address at which the service is reached from outside; links begin with it.', {
      pattern: { source: '^https?://', says: 'must start with http:// or https://' },
      example: '"https://shop.example.test"',
    }),
    roles: map(
      'Permissions that a role has. `*` matches one segment: `orders:*`.',
      list('Permissions.', text('Permission.')),
      { example: '{ admin = ["orders:*", "users:*"] }' },
    ),
  },
  blocks: {
    jwt,
    users,
    password,
    security,
    sessions,
    mfa,
    social,
    oidc,
    sso,
    account_linking: linking,
    provider,
    storage,
    audit,
    endpoints,
    routes,
    hooks,
  },
  rules: [{ rule: 'atMostOneOf', names: ['endpoints', 'routes'] }],
  example:
    'auth {\n  preset = "standard"\n  jwt {\n    secret = env("JWT_SECRET")\n  }\n  users {\n    connector = connector.db\n  }\n}',
});
