import { block, flag, oneOf, text } from '@svc/protocol/schema';
import { type BodySpec, bodyInWords, endpointBodies } from './bodies.ts';

const endpoint = (doc: string, body: BodySpec = {}) =>
  block({
    doc: Object.keys(body).length === 0 ? doc : `${doc} Its body: ${bodyInWords(body)}.`,
    attributes: {
      path: text('Path behind the prefix.', { pattern: { source: '^/', says: 'must begin with `/`' } }),
      method: oneOf('HTTP method.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
      enabled: flag('false: the endpoint is not served.', { default: true }),
    },
  });

const prefix = text('Path in front of every endpoint.', {
  pattern: { source: '^(/[A-Za-z0-9._~-]+)*$', says: 'must be a path such as /auth' },
});

/** Endpoints by the names that are configured. */
export const endpointBlocks = {
  register: endpoint('Makes an account.', endpointBodies.register),
  login: endpoint('Signs in.', endpointBodies.login),
  logout: endpoint('Ends the session.'),
  refresh: endpoint('Exchanges a refresh token for new tokens.', endpointBodies.refresh),
  me: endpoint('The account that is signed in.'),
  sessions_list: endpoint('The sessions of the account.'),
  sessions_revoke: endpoint('Ends a session of the account.'),
  password_change: endpoint('Changes the password.', endpointBodies.password_change),
  password_forgot: endpoint('Asks for a token that resets a password.', endpointBodies.password_forgot),
  forgot_password: endpoint('Another spelling of `password_forgot`.'),
  password_reset: endpoint('Sets a password with such a token.', endpointBodies.password_reset),
  mfa_setup: endpoint('Begins to enrol an authenticator app.', endpointBodies.mfa_setup),
  mfa_verify: endpoint(
    'Shows a factor: confirms an enrolment, completes a sign-in, or proves it again.',
    endpointBodies.mfa_verify,
  ),
  mfa_disable: endpoint('Removes the authenticator app.', endpointBodies.mfa_disable),
  mfa_recovery: endpoint('Signs in with a recovery code.', endpointBodies.mfa_recovery),
  mfa_recovery_codes: endpoint('Replaces the recovery codes.', endpointBodies.mfa_recovery_codes),
  webauthn_register_begin: endpoint('Begins to enrol a passkey.', endpointBodies.webauthn_register_begin),
  webauthn_register_finish: endpoint('Enrols the passkey.', endpointBodies.webauthn_register_finish),
  webauthn_login_begin: endpoint('Begins a sign-in with a passkey.', endpointBodies.webauthn_login_begin),
  webauthn_login_finish: endpoint('Signs in with the passkey.', endpointBodies.webauthn_login_finish),
  webauthn_credentials: endpoint('The passkeys of the account.', endpointBodies.webauthn_credentials),
  webauthn_remove: endpoint('Removes a passkey of the account.', endpointBodies.webauthn_remove),
  social_callback: endpoint('Where social providers send browsers back to. Sign-ins begin at `:provider` beside it.'),
  sso_callback: endpoint('Where `oidc` providers send browsers back to. Sign-ins begin at `:provider` beside it.'),
  link_account: endpoint('Begins to link an identity to the account.'),
  unlink_account: endpoint('Ends the link of an identity.'),
  linked_list: endpoint('The identities that are linked to the account.'),
  jwks: endpoint('The public keys of tokens (RFC 7517); its path has no prefix.'),
  discovery: endpoint(
    'Who issues the tokens and where their keys are (RFC 8414, OpenID Connect Discovery); its path has no prefix.',
  ),
} as const;

export const endpoints = block({
  doc: 'Where the endpoints are served. What is not written stays as it is.',
  attributes: { prefix },
  blocks: endpointBlocks,
  rules: [{ rule: 'atMostOneOf', names: ['password_forgot', 'forgot_password'] }],
  example: 'endpoints {\n  prefix = "/account"\n  register {\n    enabled = false\n  }\n}',
});

export const routes = block({ doc: 'Another spelling of `endpoints`.', attributes: { prefix } });
