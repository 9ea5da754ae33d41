import type { Client } from '../client.ts';
import { factorDemanded } from '../factors/challenge.ts';
import { holdsFactor } from '../factors/policy.ts';
import { proveCode } from '../factors/prove.ts';
import type { LockoutAttempt } from '../protection/lockout.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { completeSignIn, recordFailure, type SignedIn } from './complete.ts';

export interface SignInRequest {
  /** Normalised; what is not an address is as it was sent. */
  readonly email: string;
  readonly password: string;
  /** A code of an authenticator app, or a recovery code. */
  readonly mfaCode: string | undefined;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/** Codes of refusals after which nothing was tried that could be guessed. */
const notTried: ReadonlySet<string> = new Set(['mfa_required', 'mfa_not_configured', 'account_disabled']);

const wrong = () => new Refusal(401, 'invalid_credentials', 'The address or the password is wrong.');

/**
 * Signs in with a password. In this order: the hook that may refuse, the lock, the password, the factor, the device, the
 * distance, the number of sessions. An address without an account takes the same work as one with a wrong password. What was
 * counted is forgotten only when everything was right, so that a password that is known gives no further tries at the factor.
 * Throws a Refusal; 428 `mfa_required` where a factor completes the sign-in.
 */
export async function signIn(asked: SignInRequest, system: AuthSystem): Promise<SignedIn> {
  const { email, client, signal } = asked;
  const { hooks, lockout } = system;
  const { ip, userAgent } = client;
  await hooks.before('before_login', { email, ip, user_agent: userAgent }, 'login_refused', 401);
  let attempt: LockoutAttempt;
  try {
    attempt = await lockout.begin(ip, email, signal);
  } catch (error) {
    if (error instanceof Refusal) await recordFailure(email, client, undefined, error, system);
    throw error;
  }
  try {
    const account = await verified(asked, attempt, system);
    const mfaAt = await factorOf(account, asked, attempt, system);
    const proven = { account, client, method: 'password', mfaAt };
    return await completeSignIn(proven, system, () => attempt.succeeded());
  } catch (error) {
    // A try that was right, and refused for its device or its place, counts.
    if (!(error instanceof Refusal) || notTried.has(error.code)) await attempt.withdrawn();
    throw error;
  }
}

/** The account, when its password is right. */
async function verified(asked: SignInRequest, attempt: LockoutAttempt, system: AuthSystem): Promise<Account> {
  const { email, password, client, signal } = asked;
  const { accounts, hashes, policy } = system;
  const account = await accounts.byEmail(email);
  const tooLong = policy.isTooLong(password);
  const { matches, outdated } = tooLong
    ? { matches: false, outdated: false }
    : await hashes.verify(password, account?.passwordHash, signal);
  if (account === undefined || !matches) {
    const isLocked = await attempt.failed();
    const reason = account === undefined ? 'unknown_account' : 'wrong_password';
    await recordFailure(email, client, account, wrong(), system, reason);
    if (isLocked) await lockedNow(email, client, account, system);
    throw wrong();
  }
  if (outdated) await replaceHash(account, password, system);
  return account;
}

/**
 * When the factor of an account was proved, in milliseconds since 1970; undefined where it has none. Throws 428
 * `mfa_required` where it was not sent.
 */
async function factorOf(
  account: Account,
  { mfaCode, client }: SignInRequest,
  attempt: LockoutAttempt,
  system: AuthSystem,
): Promise<number | undefined> {
  const { settings, accounts, clock } = system;
  if (!settings.mfa.enabled) {
    if (!account.mfaEnabled) return undefined;
    throw new Refusal(
      401,
      'mfa_not_configured',
      'This account has a second factor, which this service does not check.',
    );
  }
  const held = await accounts.factors.held(account.id);
  if (!holdsFactor(held) || account.locked) return undefined;
  if (mfaCode === undefined)
    throw await factorDemanded({ account, method: 'password', deviceId: client.deviceId }, client, held, system);
  if (await proveCode(account, mfaCode, client, system)) return clock.now();
  const isLocked = await attempt.failed();
  const refusal = new Refusal(401, 'invalid_mfa_code', 'The code is wrong, or was used before.');
  await recordFailure(account.email, client, account, refusal, system);
  if (isLocked) await lockedNow(account.email, client, account, system);
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

async function lockedNow(
  email: string,
  client: Client,
  account: Account | undefined,
  { audit, log }: AuthSystem,
): Promise<void> {
  log.warn('sign-ins are locked after too many failures', { ip: client.ip, user_id: account?.id });
  const metadata = {};
  await audit.record({
    event: 'account_locked',
    user_id: account?.id,
    email,
    client,
    success: true,
    reason: undefined,
    metadata,
  });
}
