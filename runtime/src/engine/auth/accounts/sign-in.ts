import type { Client } from '../client.ts';
import { factorDemanded } from '../factors/challenge.ts';
import { wrongFactor } from '../factors/complete.ts';
import { holdsFactor } from '../factors/policy.ts';
import { type FactorProof, type Prove, tryFactor } from '../factors/prove.ts';
import type { LockoutAttempt } from '../protection/lockout.ts';
import { Refusal } from '../refusal.ts';
import { type Credentialed, credentialed } from '../sessions/start.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { completeSignIn, isUncounted, type SignedIn } from './complete.ts';
import { recordFailure, recordingRefusals, recordLock, type SignInSubject } from './refused.ts';

export interface SignInRequest {
  /** Normalised; what is not an address is as it was sent. */
  readonly email: string;
  readonly password: string;
  /** Looks at what was sent along to prove a factor; undefined where nothing was. */
  readonly prove: Prove | undefined;
  /** Whether it is asked to sign in by what proves a factor, so that an account without one is refused; absent: no. */
  readonly mustProve?: boolean;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/**
 * Signs in with a password. In this order: the hook that may refuse, the lock, the password, the factor, the device, the
 * distance, the number of sessions. An address without an account takes the same work as one with a wrong password. What was
 * counted is forgotten only when everything was right, so that a password that is known gives no further tries at the factor.
 * Throws a Refusal; 428 `mfa_required` where a factor completes the sign-in.
 */
export async function signIn(asked: SignInRequest, system: AuthSystem): Promise<SignedIn> {
  const subject: SignInSubject = { client: asked.client, email: asked.email, account: undefined };
  return recordingRefusals(subject, system, () => signInAs(subject, asked, system));
}

async function signInAs(subject: SignInSubject, asked: SignInRequest, system: AuthSystem): Promise<SignedIn> {
  const { email, client, signal } = asked;
  const { hooks, lockout } = system;
  const { ip, userAgent } = client;
  await hooks.before('before_login', { email, ip, user_agent: userAgent }, 'login_refused', 401);
  const attempt = await lockout.begin(ip, email, signal);
  try {
    const holder = await verified(asked, attempt, system);
    subject.account = holder.account;
    const proof = await factorOf(holder, asked, attempt, system);
    const mfaAt = proof && system.clock.now();
    const proven = { ...holder, client, method: 'password', mfaAt };
    const signedIn = await completeSignIn(proven, system, () => attempt.succeeded());
    const left = proof?.recoveryCodesLeft;
    return left === undefined ? signedIn : { ...signedIn, recoveryCodesLeft: left };
  } catch (error) {
    if (isUncounted(error)) await attempt.withdrawn();
    throw error;
  }
}

/** The account, when its password is right. */
async function verified(asked: SignInRequest, attempt: LockoutAttempt, system: AuthSystem): Promise<Credentialed> {
  const { email, password, client, signal } = asked;
  const { accounts, hashes, policy } = system;
  const known = await credentialed((await accounts.byEmail(email))?.id ?? '', system);
  const account = known?.account;
  const tooLong = policy.isTooLong(password);
  const { matches, outdated, took } = tooLong
    ? { matches: false, outdated: false, took: 0 }
    : await hashes.verify(password, account?.passwordHash, signal);
  if (known === undefined || account === undefined || !matches) {
    const isLocked = await attempt.failed(took);
    const reason = account === undefined ? 'unknown_account' : 'wrong_password';
    const refusal = new Refusal(401, 'invalid_credentials', 'The address or the password is wrong.');
    await recordFailure(email, client, account, refusal, system, reason);
    if (isLocked) await recordLock(email, client, account, system);
    throw refusal;
  }
  if (outdated) await replaceHash(account, password, system);
  return known;
}

/** The factor of an account that was proved; undefined where it is without one and need not prove any. Throws 428 `mfa_required` unless one was sent. */
async function factorOf(
  holder: Credentialed,
  { prove, mustProve = false, client }: SignInRequest,
  attempt: LockoutAttempt,
  system: AuthSystem,
): Promise<FactorProof | undefined> {
  const { settings, accounts } = system;
  const { account } = holder;
  if (!settings.mfa.enabled) {
    if (!account.mfaEnabled) return undefined;
    throw new Refusal(
      401,
      'mfa_not_configured',
      'This account has a second factor, which this service does not check.',
    );
  }
  const held = await accounts.factors.held(account.id);
  if ((!holdsFactor(held) && !mustProve) || account.locked) return undefined;
  if (prove === undefined)
    throw await factorDemanded({ ...holder, method: 'password', deviceId: client.deviceId }, client, held, system);
  const proof = await tryFactor(account, prove, client, system);
  if (proof !== undefined) return proof;
  const isLocked = await attempt.failed();
  const refusal = wrongFactor();
  await recordFailure(account.email, client, account, refusal, system);
  if (isLocked) await recordLock(account.email, client, account, system);
  throw refusal;
}

/** A hash that is weaker than what is configured, or of another kind, is replaced now that the password is known. */
async function replaceHash(account: Account, password: string, { accounts, hashes, log }: AuthSystem): Promise<void> {
  try {
    await accounts.rehash(account.id, {
      hash: await hashes.hash(password),
      expected: account.passwordHash as string,
    });
  } catch (error) {
    log.warn('the hash of a password could not be replaced; the next sign-in tries again', {
      user_id: account.id,
      error,
    });
  }
}
