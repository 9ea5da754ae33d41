import { recordFailure, recordingRefusals, recordLock } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';

/** Who asks for something that a session alone does not allow. */
export interface OwnerRequest {
  readonly account: Account;
  readonly session: Session;
  /** Undefined where it was not sent. */
  readonly password: string | undefined;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/** Milliseconds for which a sign-in, or a proof of a factor, replaces a password that an account does not have. */
export const freshFor = 600_000;

/**
 * Makes sure that who asks has the account, and not only its session: by its password, counted like a sign-in. An account
 * without a password shows it by a session that began, or in which a factor was proved, less than ten minutes ago. A wrong
 * password is recorded like that of a sign-in. Throws a Refusal.
 */
export async function confirmOwner(asked: OwnerRequest, system: AuthSystem): Promise<void> {
  const { account, session, password, client, signal } = asked;
  if (account.passwordHash === undefined) {
    if (isFresh(session.createdAt, system) || isFresh(session.facts.mfaAt, system)) return;
    throw new Refusal(403, 'session_too_old', 'Sign in again first: this account has no password to ask for.');
  }
  if (password === undefined || password === '') throw new Refusal(400, 'invalid_request', '`password` is required.');
  await recordingRefusals({ account, client, email: account.email }, system, () =>
    confirmPassword({ account, password, client, signal }, system),
  );
  // A comparison takes long: the password may be another one now.
  await system.sessions.refuseEnded(session);
}

async function confirmPassword(
  {
    account,
    password,
    client,
    signal,
  }: Pick<OwnerRequest, 'account' | 'client' | 'signal'> & { readonly password: string },
  system: AuthSystem,
): Promise<void> {
  const { lockout, hashes, policy } = system;
  const attempt = await lockout.begin(client.ip, account.email, signal);
  let matches = false;
  try {
    matches = !policy.isTooLong(password) && (await hashes.verify(password, account.passwordHash, signal)).matches;
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (!matches) {
    const isLocked = await attempt.failed();
    const refusal = new Refusal(401, 'invalid_password', 'The password is wrong.');
    await recordFailure(account.email, client, account, refusal, system, 'wrong_password');
    if (isLocked) await recordLock(account.email, client, account, system);
    throw refusal;
  }
  await attempt.succeeded();
}

/** The same, or a factor that was proved in this session less than ten minutes ago. */
export async function confirmOwnerOrFactor(asked: OwnerRequest, system: AuthSystem): Promise<void> {
  if (asked.password === undefined && isFresh(asked.session.facts.mfaAt, system)) return;
  await confirmOwner(asked, system);
}

/** A moment to come was noted before the clock was set back: how long ago it was is not known. */
function isFresh(at: number | undefined, { clock }: AuthSystem): boolean {
  const age = at === undefined ? -1 : clock.now() - at;
  return age >= 0 && age < freshFor;
}
