import type { Client } from '../client.ts';
import { renewFacts } from '../sessions/facts.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { dropChallenges } from './challenge.ts';
import { holdsFactor } from './policy.ts';

/** A factor that is added to an account or removed from it. */
export interface FactorChange {
  readonly event: 'mfa_enabled' | 'mfa_disabled';
  readonly method: 'totp' | 'webauthn';
  /** Absent for what the command line did. */
  readonly client: Client | undefined;
}

/** Records that a factor is added or removed, before it is: where records are required, nothing happens without one. */
export function recordFactor(
  { id, email }: Account,
  { event, method, client }: FactorChange,
  { audit }: Pick<AuthSystem, 'audit'>,
  reason?: string,
): Promise<void> {
  const success = reason === undefined;
  return audit.record({ event, user_id: id, email, client, success, reason, metadata: { method } });
}

/**
 * Brings everything in line with the factors that an account has now. Sign-ins that wait end, and so does every session but
 * `except`, as after a change of the password: what was let in before may be what the change is for. Recovery codes go with
 * the last factor.
 */
export async function factorsChanged(
  account: Account,
  except: string | undefined,
  system: Pick<AuthSystem, 'accounts' | 'state' | 'sessions' | 'settings' | 'clock'>,
): Promise<void> {
  const { accounts, state, sessions } = system;
  await keepFlag(account.id, system);
  await dropChallenges(account.id, { state });
  await sessions.store.endAll(account.id, except);
  await renewFacts(account, system);
  const held = await accounts.factors.held(account.id);
  if (!holdsFactor(held) && held.recoveryCodes > 0) await accounts.factors.setRecoveryCodes(account.id, []);
}

/** Sets whether the account has a factor; who is changed by another request meanwhile is looked at again. */
async function keepFlag(accountId: string, { accounts, clock }: Pick<AuthSystem, 'accounts' | 'clock'>): Promise<void> {
  const holds = async () => holdsFactor(await accounts.factors.held(accountId));
  let mfaEnabled = await holds();
  for (;;) {
    await accounts.update(accountId, { mfaEnabled }, clock.now());
    const now = await holds();
    if (now === mfaEnabled) return;
    mfaEnabled = now;
  }
}
