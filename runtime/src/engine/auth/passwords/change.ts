import { recordLock } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import { renewFacts } from '../sessions/facts.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import { refuseUnfit } from './new-password.ts';
import { setPassword } from './set-password.ts';

export interface PasswordChange {
  readonly account: Account;
  readonly session: Session;
  readonly current: string;
  readonly wanted: string;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/** Changes the password of who is signed in. All its other sessions end. Throws a Refusal. */
export async function changePassword(change: PasswordChange, system: AuthSystem): Promise<void> {
  const { account, session, current, wanted, client, signal } = change;
  const { hooks, lockout, hashes, audit, policy } = system;
  const who = { user_id: account.id, email: account.email };
  const refused = (reason: string) =>
    audit.record({ event: 'password_change', ...who, client, success: false, reason, metadata: {} });
  await hooks.before('before_password_change', who, 'password_change_refused', 400);
  const attempt = await lockout.begin(client.ip, account.email, signal);
  let matches = false;
  try {
    matches = !policy.isTooLong(current) && (await hashes.verify(current, account.passwordHash, signal)).matches;
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (!matches) {
    const isLocked = await attempt.failed();
    await refused('invalid_password');
    if (isLocked) await recordLock(account.email, client, account, system);
    throw new Refusal(400, 'invalid_password', 'The current password is wrong.');
  }
  await attempt.succeeded();
  try {
    await refuseUnfit(wanted, account.email, account, system, signal);
  } catch (error) {
    if (error instanceof Refusal) await refused(error.code);
    throw error;
  }
  await audit.record({ event: 'password_change', ...who, client, success: true, reason: undefined, metadata: {} });
  await setPassword(account, wanted, system, session.id);
  await renewFacts({ ...account, passwordChangedAt: system.clock.now() }, system);
  hooks.after('after_password_change', who);
}
