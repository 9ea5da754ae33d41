import { factorsChanged } from '../factors/change.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/**
 * Makes an account that of the person who reads its address, which nobody had shown to be theirs: whoever made it may have
 * waited for that. Passkeys and linked identities, which sign in without the password, are removed. An authenticator app
 * stays, since it opens nothing by itself.
 */
export async function claimAccount(account: Account, system: AuthSystem): Promise<void> {
  const { accounts, clock, log } = system;
  if (account.emailVerified) return;
  const { factors, identities } = accounts;
  const [passkeys, linked] = await Promise.all([factors.passkeys(account.id), identities.of(account.id)]);
  for (const { id } of passkeys) await factors.removePasskey(account.id, id);
  for (const provider of new Set(linked.map((each) => each.provider)))
    await identities.unlink(account.id, provider, false);
  if (passkeys.length > 0) await factorsChanged(account, undefined, system);
  await accounts.update(account.id, { emailVerified: true }, clock.now());
  if (passkeys.length + linked.length > 0)
    log.warn('an address was verified by a reset: other ways to sign in to its account were removed', {
      user_id: account.id,
      passkeys: passkeys.length,
      identities: linked.length,
    });
}
