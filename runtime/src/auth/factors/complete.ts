import { completeSignIn, isUncounted, recordFailure, recordLock, type SignedIn } from '../accounts/complete.ts';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSystem } from '../system.ts';
import { challengeTries, pendingSignIn, takeChallenge } from './challenge.ts';
import { type FactorProof, type Prove, tryFactor } from './prove.ts';

const invalidToken = () =>
  new Refusal(401, 'invalid_mfa_token', 'This sign-in is not waiting any longer; begin again with the password.');

/** A factor that does not prove what it should. */
export const wrongFactor = () => new Refusal(401, 'invalid_mfa_code', 'The code is wrong, or was used before.');

/**
 * Completes a sign-in that waits for a factor: once, from the client that began it. A wrong proof counts against this
 * sign-in, which ends after a few, against the account, whatever address it comes from, and like a wrong password. Throws a
 * Refusal.
 */
export async function completeChallenge(
  token: string,
  client: Client,
  prove: Prove,
  system: AuthSystem,
  signal: AbortSignal | undefined,
): Promise<SignedIn> {
  const pending = await pendingSignIn(token, client, system);
  if (pending === undefined) throw invalidToken();
  const { account, generation, method, deviceId } = pending;
  const sender = { ...client, deviceId };
  const attempt = await system.lockout.begin(client.ip, account.email, signal);
  try {
    const tries = await challengeTries(token, system);
    if (tries === undefined) throw invalidToken();
    let proof: FactorProof | undefined;
    try {
      proof = await tryFactor(account, prove, client, system);
    } catch (error) {
      await tries.withdrawn();
      throw error;
    }
    if (proof === undefined) {
      await tries.failed();
      const isLocked = await attempt.failed();
      await recordFailure(account.email, client, account, wrongFactor(), system);
      if (isLocked) await recordLock(account.email, client, account, system);
      throw wrongFactor();
    }
    // Of several who are right at once, one signs in.
    if (!(await takeChallenge(token, system))) throw invalidToken();
    const { recoveryCodesLeft } = proof;
    const proven = { account, generation, client: sender, method, mfaAt: system.clock.now() };
    const signedIn = await completeSignIn(proven, system, () => attempt.succeeded());
    return { ...signedIn, ...(recoveryCodesLeft !== undefined && { recoveryCodesLeft }) };
  } catch (error) {
    if (isUncounted(error)) await attempt.withdrawn();
    throw error;
  }
}
