import { Refusal } from '../../refusal.ts';
import type { AuthSystem } from '../../system.ts';
import { factorsChanged, recordFactor } from '../change.ts';
import type { PasskeyRequest } from './enrol.ts';

/** Removes a passkey of an account; not the last way to sign in. Throws a Refusal. */
export async function removePasskey(
  { account, session, client }: PasskeyRequest,
  id: string,
  system: AuthSystem,
): Promise<void> {
  const { factors, identities } = system.accounts;
  const held = await factors.passkeys(account.id);
  if (!held.some((each) => each.id === id)) throw new Refusal(404, 'passkey_not_found', 'There is no such passkey.');
  const isOnlyWay =
    held.length === 1 && account.passwordHash === undefined && (await identities.of(account.id)).length === 0;
  if (isOnlyWay)
    throw new Refusal(400, 'last_way_to_sign_in', 'This passkey is the only way to sign in; add another one first.');
  await recordFactor(account, { event: 'mfa_disabled', method: 'webauthn', client }, system);
  await factors.removePasskey(account.id, id);
  await factorsChanged(account, session.id, system);
}
