import { completeSignIn, isUncounted, type SignedIn } from '../accounts/complete.ts';
import { recordFailure, recordingRefusals, recordLock, type SignInSubject } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSystem } from '../system.ts';
import { challengeTries, type PendingSignIn, pendingSignIn, takeChallenge } from './challenge.ts';
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
  const account = pending?.account;
  const subject: SignInSubject = { client, email: account?.email ?? '', account };
  return recordingRefusals(subject, system, async () => {
    if (pending === undefined) throw invalidToken();
    return completePending(pending, { token, client, prove, signal }, system);
  });
}

interface Completion {
  readonly token: string;
  readonly client: Client;
  readonly prove: Prove;
  readonly signal: AbortSignal | undefined;
}

async function completePending(
  { account, generation, method, deviceId }: PendingSignIn,
  { token, client, prove, signal }: Completion,
  system: AuthSystem,
): Promise<SignedIn> {
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
      const refusal = wrongFactor();
      await recordFailure(account.email, client, account, refusal, system);
      if (isLocked) await recordLock(account.email, client, account, system);
      throw refusal;
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
