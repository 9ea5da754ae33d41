import { completeSignIn, isUncounted, type SignedIn } from '../../accounts/complete.ts';
import { recordFailure, recordingRefusals, recordLock } from '../../accounts/refused.ts';
import type { Client } from '../../client.ts';
import { Refusal } from '../../refusal.ts';
import type { AuthSystem } from '../../system.ts';
import type { Prove } from '../prove.ts';
import { type Proved, proveAssertion, type Unproved } from './assertion.ts';
import type { CredentialJson } from './credential.ts';

export interface PasskeySignIn {
  readonly credential: CredentialJson;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/**
 * Signs in with a passkey alone. Locks, hooks, device and distance hold as for a password. It counts as a second factor
 * too where the authenticator verified its user. Throws a Refusal.
 */
export async function signInByPasskey(asked: PasskeySignIn, system: AuthSystem): Promise<SignedIn> {
  const { accounts, sessions } = system;
  const claimed = await accounts.factors.passkey(asked.credential.id);
  const accountId = claimed?.accountId ?? '';
  const generation = await sessions.store.generation(accountId);
  const account = await accounts.byId(accountId);
  const subject = { client: asked.client, email: account?.email ?? '', account };
  return recordingRefusals(subject, system, () => signInAs(account?.email, generation, asked, system));
}

/** `email` is that of the account which the passkey claims to be of. */
async function signInAs(
  email: string | undefined,
  generation: string,
  { credential, client, signal }: PasskeySignIn,
  system: AuthSystem,
): Promise<SignedIn> {
  const { hooks, lockout, clock } = system;
  const { ip, userAgent } = client;
  await hooks.before('before_login', { email: email ?? '', ip, user_agent: userAgent }, 'login_refused', 401);
  const attempt = await lockout.begin(ip, email, signal);
  try {
    const proved = await proveAssertion(credential, undefined, system);
    if (!('passkey' in proved)) {
      const isLocked = await attempt.failed();
      const refusal = await refused(proved, client, system);
      if (isLocked) await recordLock(email ?? '', client, proved.account, system);
      throw refusal;
    }
    const mfaAt = proved.userVerified ? clock.now() : undefined;
    const proven = { account: proved.account, generation, client, method: 'webauthn', mfaAt };
    return await completeSignIn(proven, system, () => attempt.succeeded());
  } catch (error) {
    if (isUncounted(error)) await attempt.withdrawn();
    throw error;
  }
}

/** Proves a factor of an account that is known by an assertion of one of its passkeys. */
export function provePasskey(credential: CredentialJson, client: Client, system: AuthSystem): Prove {
  return async (account) => {
    const proved = await proveAssertion(credential, account.id, system);
    if ('passkey' in proved) return { method: 'webauthn' };
    await refused(proved, client, system);
    return undefined;
  };
}

/** Records an assertion that proved nothing, and tells of a passkey that was copied. */
export async function refused(
  { account, cloned }: Exclude<Unproved, Proved>,
  client: Client,
  system: AuthSystem,
): Promise<Refusal> {
  const { hooks, log } = system;
  const refusal = new Refusal(401, 'invalid_passkey', 'This passkey does not open an account here.');
  const reason = cloned ? 'passkey_cloned' : account === undefined ? 'unknown_passkey' : 'wrong_passkey';
  await recordFailure(account?.email ?? '', client, account, refusal, system, reason);
  if (cloned && account !== undefined) {
    log.warn('the counter of a passkey went back: there is a copy of it, which is refused', { user_id: account.id });
    const who = { user_id: account.id, email: account.email, ip: client.ip, user_agent: client.userAgent };
    hooks.after('on_suspicious_activity', { ...who, reason, action: 'block' });
  }
  return refusal;
}
