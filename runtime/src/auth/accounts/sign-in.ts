import type { Client } from '../client.ts';
import { passwordEnd } from '../passwords/expiry.ts';
import type { LockoutAttempt } from '../protection/lockout.ts';
import { Refusal } from '../refusal.ts';
import { startSession } from '../sessions/start.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';

export interface SignInRequest {
  /** Normalised; what is not an address is as it was sent. */
  readonly email: string;
  readonly password: string;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

export interface SignedIn {
  readonly account: Account;
  readonly tokens: TokenPair;
  /** When the password expires, where it has or soon will; milliseconds since 1970. */
  readonly passwordExpiresAt: number | undefined;
  readonly passwordExpired: boolean;
}

const wrong = () => new Refusal(401, 'invalid_credentials', 'The address or the password is wrong.');

/**
 * Signs in with a password. In this order: the hook that may refuse, the lock, the password, the device, the distance, the
 * number of sessions. An address without an account takes the same work as one with a wrong password. Throws a Refusal.
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
    if (error instanceof Refusal) await failed(asked, undefined, error, system);
    throw error;
  }
  let account: Account;
  try {
    account = await verified(asked, attempt, system);
    await checkPlace(account, asked, system);
  } catch (error) {
    if (!(error instanceof Refusal)) await attempt.withdrawn();
    throw error;
  }
  await attempt.succeeded();
  return begin(account, asked, system);
}

/** The account, when its password is right. */
async function verified(asked: SignInRequest, attempt: LockoutAttempt, system: AuthSystem): Promise<Account> {
  const { email, password, signal } = asked;
  const { accounts, hashes, policy } = system;
  const account = await accounts.byEmail(email);
  const tooLong = policy.isTooLong(password);
  const { matches, outdated, took } = tooLong
    ? { matches: false, outdated: false, took: 0 }
    : await hashes.verify(password, account?.passwordHash, signal);
  if (account === undefined || !matches) {
    const isLocked = await attempt.failed(took);
    await failed(asked, account, wrong(), system, account === undefined ? 'unknown_account' : 'wrong_password');
    if (isLocked) await lockedNow(asked, account, system);
    throw wrong();
  }
  if (account.locked) {
    await attempt.withdrawn();
    const refusal = new Refusal(403, 'account_disabled', 'This account is locked; ask who runs this service.');
    await failed(asked, account, refusal, system);
    throw refusal;
  }
  if (outdated) await replaceHash(account, password, system);
  return account;
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

/** Judges the device and the place that a right password comes from. */
async function checkPlace(account: Account, asked: SignInRequest, system: AuthSystem): Promise<void> {
  const { client } = asked;
  const { devices, travel, hooks, log } = system;
  const { ip, userAgent } = client;
  const who = { user_id: account.id, email: account.email, ip, user_agent: userAgent };
  for (const [engine, reason, code] of [
    [devices, 'new_device', 'unknown_device'],
    [travel, 'impossible_travel', 'impossible_travel'],
  ] as const) {
    const finding = await engine?.judge(account, client);
    if (finding === undefined) continue;
    if (finding.action !== 'allow')
      hooks.after('on_suspicious_activity', { ...who, ...finding.details, reason, action: finding.action });
    if (finding.action === 'block') {
      const refusal = new Refusal(401, code, 'This sign-in is refused, since it is unlike those before it.');
      await failed(asked, account, refusal, system);
      throw refusal;
    }
    if (finding.action === 'challenge')
      log.warn(`a sign-in is let through though ${reason} asks for a second factor, which the account does not have`, {
        user_id: account.id,
      });
  }
}

async function begin(account: Account, { client }: SignInRequest, system: AuthSystem): Promise<SignedIn> {
  const { accounts, audit, hooks, clock, settings, devices, travel } = system;
  const who = { user_id: account.id, email: account.email };
  const now = clock.now();
  // A session is begun only when its record is written, where records are required.
  await audit.record({ event: 'login', ...who, client, success: true, reason: undefined, metadata: {} });
  const tokens = await startSession(account, client, system);
  await accounts.update(account.id, { lastLoginAt: now }, now);
  await devices?.accept(account, client);
  await travel?.accept(account, client);
  hooks.after('after_login', { ...who, ip: client.ip, user_agent: client.userAgent });
  const end = passwordEnd(settings.password, accounts, account);
  const isNear = end !== undefined && end - now <= settings.password.warn_before;
  return {
    account: { ...account, lastLoginAt: now },
    tokens,
    passwordExpiresAt: isNear ? end : undefined,
    passwordExpired: end !== undefined && end <= now,
  };
}

async function failed(
  { email, client }: SignInRequest,
  account: Account | undefined,
  { code, message }: Refusal,
  { audit, hooks }: AuthSystem,
  reason = code,
): Promise<void> {
  const { ip, userAgent } = client;
  const metadata = {};
  await audit.record({ event: 'failed_login', user_id: account?.id, email, client, success: false, reason, metadata });
  hooks.after('on_failed_login', { email, ip, user_agent: userAgent, reason: message, code });
}

async function lockedNow(
  { email, client }: SignInRequest,
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
