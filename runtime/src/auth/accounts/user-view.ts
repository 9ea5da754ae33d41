import type { Account } from '../store/accounts.ts';

/** An account as its owner sees it: neither hash nor age of the password. */
export function userView(account: Account, permissions: readonly string[]): Readonly<Record<string, unknown>> {
  const { id, email, createdAt, updatedAt, roles, mfaEnabled, lastLoginAt, metadata } = account;
  return {
    id,
    email,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...(roles.length > 0 && { roles }),
    ...(permissions.length > 0 && { permissions }),
    ...(mfaEnabled && { mfa_enabled: true }),
    ...(lastLoginAt !== undefined && { last_login_at: new Date(lastLoginAt).toISOString() }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
