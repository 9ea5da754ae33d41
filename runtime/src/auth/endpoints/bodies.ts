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
    device_id: { type: 'string', required: false, doc: 'What the client calls its device (`device_binding`).' },
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
  jwks: {},
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
