import type { Account } from '../../store/accounts.ts';

/** An account that this name identifies. */
export function accountOf(name: string): Account {
  return {
    id: name,
    email: `${name}@a.test`,
    passwordHash: undefined,
    createdAt: 0,
    updatedAt: 0,
    passwordChangedAt: undefined,
    roles: [],
    mfaEnabled: false,
    emailVerified: false,
    metadata: {},
    lastLoginAt: undefined,
    locked: false,
  };
}
