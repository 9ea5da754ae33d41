import { methodsOf } from '../factors/policy.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/** An account as its owner sees it: neither hash nor age of the password. */
export async function userView(
  account: Account,
  { accounts, permissionsOf }: Pick<AuthSystem, 'accounts' | 'permissionsOf'>,
): Promise<Readonly<Record<string, unknown>>> {
  const { id, email, createdAt, updatedAt, roles, mfaEnabled, lastLoginAt, metadata } = account;
  const permissions = permissionsOf(roles);
  const methods = mfaEnabled ? methodsOf(await accounts.factors.held(id)) : [];
  return {
    id,
    email,
    created_at: new Date(createdAt).toISOString(),
    updated_at: new Date(updatedAt).toISOString(),
    ...(roles.length > 0 && { roles }),
    ...(permissions.length > 0 && { permissions }),
    ...(mfaEnabled && { mfa_enabled: true }),
    ...(methods.length > 0 && { mfa_methods: methods }),
    ...(lastLoginAt !== undefined && { last_login_at: new Date(lastLoginAt).toISOString() }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  };
}
