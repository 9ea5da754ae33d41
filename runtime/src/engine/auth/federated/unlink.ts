import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/** Ends the link of an account to a provider; not the last way to sign in. Throws a Refusal. */
export async function unlink(account: Account, provider: string, client: Client, system: AuthSystem): Promise<void> {
  const { accounts, audit } = system;
  const { factors, identities } = accounts;
  const held = await identities.of(account.id);
  if (!held.some((each) => each.provider === provider))
    throw new Refusal(404, 'unlink_failed', 'No identity of this provider is linked.');
  const { passkeys } = await factors.held(account.id);
  const hasOtherWay = account.passwordHash !== undefined || passkeys > 0;
  const lastWay = () =>
    new Refusal(400, 'unlink_failed', 'This is the only way to sign in; set a password or link another one first.');
  if (!hasOtherWay && held.every((each) => each.provider === provider)) throw lastWay();
  const who = { user_id: account.id, email: account.email };
  const metadata = { provider };
  await audit.record({ event: 'account_unlinked', ...who, client, success: true, reason: undefined, metadata });
  if ((await identities.unlink(account.id, provider, !hasOtherWay)) === 0) throw lastWay();
}
