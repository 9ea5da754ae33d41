import type { Auth } from '../../foundation/contracts/message.ts';

/** The caller as the variable `auth`, from the claims that a credential carries. */
export function subjectOf(claims: Readonly<Record<string, unknown>>): Auth {
  return subject(textOf(claims['sub']), claims);
}

/** The caller with a known identity; e-mail address and roles come from the claims. */
export function subject(userId: string, claims: Readonly<Record<string, unknown>>): Auth {
  const { email, roles } = claims;
  return {
    authenticated: true,
    user_id: userId,
    email: textOf(email),
    roles: rolesOf(roles),
    claims: Object.assign(Object.create(null) as Record<string, unknown>, claims),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string'
    ? value
    : typeof value === 'number' || typeof value === 'bigint'
      ? String(value)
      : '';
}

/** A single role is a list of one. */
function rolesOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? [] : [value];
  return Array.isArray(value) ? value.filter((role) => typeof role === 'string') : [];
}
