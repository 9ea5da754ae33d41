import type { Client } from '../../client.ts';
import { Refusal } from '../../refusal.ts';
import { renewFacts } from '../../sessions/facts.ts';
import type { Account } from '../../store/accounts.ts';
import type { AuthSystem } from '../../system.ts';
import { holdsFactor } from '../policy.ts';

/**
 * Removes a passkey of an account; not the last way to sign in. Recovery codes go with the last factor. Throws a Refusal.
 */
export async function removePasskey(account: Account, id: string, client: Client, system: AuthSystem): Promise<void> {
  const { accounts, audit, clock } = system;
  const { factors, identities } = accounts;
  const held = await factors.passkeys(account.id);
  const passkey = held.find((each) => each.id === id);
  if (passkey === undefined) throw new Refusal(404, 'passkey_not_found', 'There is no such passkey.');
  const isOnlyWay =
    held.length === 1 && account.passwordHash === undefined && (await identities.of(account.id)).length === 0;
  if (isOnlyWay)
    throw new Refusal(400, 'last_way_to_sign_in', 'This passkey is the only way to sign in; add another one first.');
  const who = { user_id: account.id, email: account.email };
  const metadata = { method: 'webauthn', name: passkey.name };
  await audit.record({ event: 'mfa_disabled', ...who, client, success: true, reason: undefined, metadata });
  await factors.removePasskey(account.id, id);
  if (!holdsFactor(await factors.held(account.id))) {
    await factors.setRecoveryCodes(account.id, []);
    await accounts.update(account.id, { mfaEnabled: false }, clock.now());
  }
  await renewFacts(account, system);
}
