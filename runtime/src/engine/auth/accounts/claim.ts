import { factorsChanged } from '../factors/change.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/**
 * Makes an account that of the person who reads its address, which was not verified before: another person may have
 * made the account and waited for that. Passkeys and linked identities, which sign in without the password, are removed. An
 * authenticator app stays, since it opens nothing by itself. Called before and after the sessions of the account end, so that
 * nothing is added in between. Whether something was removed.
 */
export async function claimAccount(account: Account, system: AuthSystem): Promise<boolean> {
  const { accounts, log } = system;
  if (account.emailVerified) return false;
  const { factors, identities } = accounts;
  const [passkeys, linked] = await Promise.all([factors.passkeys(account.id), identities.of(account.id)]);
  for (const { id } of passkeys) await factors.removePasskey(account.id, id);
  for (const provider of new Set(linked.map((each) => each.provider)))
    await identities.unlink(account.id, provider, false);
  const isChanged = passkeys.length + linked.length > 0;
  if (!isChanged) return false;
  await factorsChanged(account, undefined, system);
  log.warn('an address was verified by a reset: other ways to sign in to its account were removed', {
    user_id: account.id,
    passkeys: passkeys.length,
    identities: linked.length,
  });
  return true;
}
