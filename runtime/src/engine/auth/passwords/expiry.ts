import type { AuthSettings } from '../settings.ts';
import type { Account, AccountStore } from '../store/accounts.ts';

/** When the password of an account expires, in milliseconds since 1970; undefined: never, or its age is not known. */
export function passwordEnd(
  { max_age: age }: Pick<AuthSettings['password'], 'max_age'>,
  store: Pick<AccountStore, 'keepsPasswordAge'>,
  { passwordChangedAt: changedAt, passwordHash: hash }: Pick<Account, 'passwordChangedAt' | 'passwordHash'>,
): number | undefined {
  if (age === undefined || !store.keepsPasswordAge || changedAt === undefined || hash === undefined) return undefined;
  return changedAt + age;
}
