/** A member of the JSON object that an endpoint reads. */
export interface BodyMember {
  readonly type: 'string' | 'object';
  readonly required: boolean;
  /** A credential: editors and logs never show its value. */
  readonly secret?: boolean;
  readonly doc: string;
}

/** What an endpoint reads of its body, by name; an endpoint without members reads no body. */
export type BodySpec = Readonly<Record<string, BodyMember>>;

const email: BodyMember = { type: 'string', required: true, doc: 'Address of the account.' };
const secret = (doc: string): BodyMember => ({ type: 'string', required: true, secret: true, doc });

const deviceId: BodyMember = {
  type: 'string',
  required: false,
  doc: 'What the client calls its device (`device_binding`).',
};
const password: BodyMember = {
  type: 'string',
  required: false,
  secret: true,
  doc: 'The password, unless a factor was proved within ten minutes.',
};
const code = (required: boolean, doc: string): BodyMember => ({ type: 'string', required, secret: true, doc });
const mfaToken: BodyMember = {
  type: 'string',
  required: false,
  secret: true,
  doc: 'The token of a sign-in that waits for a factor.',
};
const credential = (from: string): BodyMember => ({
  type: 'object',
  required: false,
  doc: `What \`${from}\` gives, as JSON.`,
});

/**
 * What each endpoint reads of its body. Endpoints read nothing else, and editors, the request sender of the studio and
 * the reference pages show the same.
 */
export const endpointBodies = {
  register: {
    email,
    password: secret('The password; the policy decides whether it is good enough.'),
    name: { type: 'string', required: false, doc: 'Short for `metadata.name`.' },
    metadata: { type: 'object', required: false, doc: 'Kept with the account; at most 8 KiB.' },
  },
  login: {
    email,
    password: secret('The password.'),
    mfa_code: {
      type: 'string',
      required: false,
      secret: true,
      doc: 'A code of the authenticator app, or a recovery code.',
    },
    device_id: deviceId,
  },
  logout: {},
  refresh: { refresh_token: secret('The refresh token of the last sign-in or refresh.') },
  me: {},
  sessions_list: {},
  sessions_revoke: {},
  password_change: {
    current_password: secret('The password that is valid now.'),
    new_password: secret('The one that replaces it.'),
  },
  password_forgot: { email },
  password_reset: {
    token: secret('The token that the hook `on_password_reset` handed over.'),
    new_password: secret('The new password.'),
  },
  mfa_setup: { password },
  mfa_verify: {
    mfa_token: mfaToken,
    code: code(false, 'A code of the authenticator app, or a recovery code.'),
    credential: credential('navigator.credentials.get'),
  },
  mfa_disable: { password },
  mfa_recovery: {
    mfa_token: mfaToken,
    email: { ...email, required: false },
    password: { ...password, doc: 'The password, where there is no `mfa_token`.' },
    code: code(true, 'A recovery code.'),
    device_id: deviceId,
  },
  mfa_recovery_codes: { password },
  webauthn_register_begin: { password },
  webauthn_register_finish: {
    credential: credential('navigator.credentials.create'),
    name: { type: 'string', required: false, doc: 'What the person calls it; `passkey` by default.' },
  },
  webauthn_login_begin: {
    email: {
      type: 'string',
      required: false,
      doc: 'Address of the account; without it the person chooses the passkey.',
    },
    mfa_token: mfaToken,
  },
  webauthn_login_finish: { credential: credential('navigator.credentials.get'), device_id: deviceId },
  webauthn_credentials: {},
  webauthn_remove: { password },
  social_start: {},
  sso_start: {},
  social_callback: {},
  sso_callback: {},
  link_account: {},
  unlink_account: {},
  linked_list: {},
  jwks: {},
  discovery: {},
} as const satisfies Readonly<Record<string, BodySpec>>;

/** A body in a few words, for documentation: `email`, `password`, `device_id` (optional). */
export function bodyInWords(body: BodySpec): string {
  return Object.entries(body)
    .map(([name, { type, required }]) => {
      const notes = [type === 'string' ? [] : type, required ? [] : 'optional'].flat();
      return notes.length === 0 ? `\`${name}\`` : `\`${name}\` (${notes.join(', ')})`;
    })
    .join(', ');
}
