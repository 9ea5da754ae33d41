import type { Client } from '../client.ts';
import { demandsFactors, dutyOf, type FactorDuty } from '../factors/policy.ts';
import { passwordEnd } from '../passwords/expiry.ts';
import { outdatedSignIn, Refusal } from '../refusal.ts';
import { type Credentialed, startSession } from '../sessions/start.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';

/** First credentials that are this service's own; every other method is the name of a provider. */
export const ownMethods: ReadonlySet<string> = new Set(['password', 'webauthn']);

/** A sign-in in which everything that is asked for was proved. */
export interface ProvenSignIn extends Credentialed {
  readonly client: Client;
  /** What the first credential was: `password`, `webauthn`, or the name of an identity provider. */
  readonly method: string;
  /** When a second factor was proved, in milliseconds since 1970; undefined: none was. */
  readonly mfaAt: number | undefined;
}

export interface SignedIn {
  readonly account: Account;
  readonly tokens: TokenPair;
  /** When the password expires, where it has or soon will; milliseconds since 1970. */
  readonly passwordExpiresAt: number | undefined;
  readonly passwordExpired: boolean;
  /** What it must enrol; undefined where it owes nothing. */
  readonly duty: FactorDuty | undefined;
  /** Set where a recovery code was spent. */
  readonly recoveryCodesLeft?: number;
}

/** Codes of refusals after which nothing was tried that could be guessed. */
const uncounted: ReadonlySet<string> = new Set([
  'mfa_required',
  'mfa_not_configured',
  'account_disabled',
  'invalid_mfa_token',
  'account_locked',
  'rate_limited',
  'session_expired',
]);

/** Whether a try that ended so does not count. One that was right, and refused for its device or its place, counts. */
export function isUncounted(error: unknown): boolean {
  return !(error instanceof Refusal) || uncounted.has(error.code);
}

/**
 * Ends every kind of sign-in in one way: the lock of an administrator, the device and the place, the record, the session.
 * `admitted` is called between what may refuse and what begins. Throws a Refusal, which its caller records; nothing has begun
 * then.
 */
export async function completeSignIn(
  proven: ProvenSignIn,
  system: AuthSystem,
  admitted: () => Promise<void>,
): Promise<SignedIn> {
  const { account } = proven;
  if (account.locked) throw new Refusal(403, 'account_disabled', 'This account is locked; ask who runs this service.');
  await checkPlace(proven, system);
  await admitted();
  return begin(proven, system);
}

/** Judges the device and the place that a sign-in comes from. */
async function checkPlace({ account, client, mfaAt }: ProvenSignIn, system: AuthSystem): Promise<void> {
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
    if (finding.action === 'block')
      throw new Refusal(401, code, 'This sign-in is refused, since it is unlike those before it.');
    if (finding.action === 'challenge' && mfaAt === undefined)
      log.warn(`a sign-in is let through though ${reason} asks for a second factor, which the account does not have`, {
        user_id: account.id,
      });
  }
}

async function begin(proven: ProvenSignIn, system: AuthSystem): Promise<SignedIn> {
  const { account, client, method, mfaAt } = proven;
  const { accounts, audit, sessions, hooks, clock, settings, devices, travel } = system;
  const who = { user_id: account.id, email: account.email };
  const now = clock.now();
  const metadata = method === 'password' && mfaAt === undefined ? {} : { method, mfa: mfaAt !== undefined };
  // A session is begun only when its record is written, where records are required.
  const event = ownMethods.has(method) ? 'login' : 'sso_login';
  await audit.record({ event, ...who, client, success: true, reason: undefined, metadata });
  // A session that is refused now was recorded as begun: its refusal is recorded too.
  const tokens = await startSession(proven, client, system, mfaAt);
  if (!(await accounts.noteSignIn(account.id, now))) {
    // The process that made it could not record it, and has taken it back, or it was removed.
    await sessions.store.endAll(account.id);
    throw outdatedSignIn();
  }
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
    duty: await dutyNow(account, system),
  };
}

async function dutyNow(
  account: Account,
  { settings, accounts }: Pick<AuthSystem, 'settings' | 'accounts'>,
): Promise<FactorDuty | undefined> {
  if (!demandsFactors(settings.mfa)) return undefined;
  const duty = dutyOf(settings, account, await accounts.factors.held(account.id));
  return duty.dueAt === undefined ? undefined : duty;
}
