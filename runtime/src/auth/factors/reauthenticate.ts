import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';

/** Milliseconds for which a sign-in, or a factor that was proved, counts as fresh. */
const fresh = 10 * 60_000;

/** Who changes how an account signs in. */
export interface Reauthentication {
  readonly account: Account;
  readonly session: Session;
  /** The password, where it was sent. */
  readonly password: string | undefined;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes sure that a person, not only a token, changes how an account signs in: by its password, by a factor that was
 * proved within ten minutes, or, where the account has neither, by a session that began within them. Throws 401
 * `invalid_password` or `reauthentication_required`.
 */
export async function reauthenticate(asked: Reauthentication, system: AuthSystem): Promise<void> {
  const { account, session, password, client, signal } = asked;
  const { hashes, lockout, policy, clock } = system;
  const now = clock.now();
  if (password === undefined) {
    const { mfaAt } = session.facts;
    const isProved = mfaAt !== undefined && Math.abs(now - mfaAt) <= fresh;
    const isNew = account.passwordHash === undefined && Math.abs(now - session.createdAt) <= fresh;
    if (isProved || isNew) return;
    const how = account.passwordHash === undefined ? 'sign in again' : 'send your `password`';
    throw new Refusal(401, 'reauthentication_required', `To change how you sign in, ${how} first.`);
  }
  const attempt = await lockout.begin(client.ip, account.email, signal);
  let matches = false;
  try {
    matches = !policy.isTooLong(password) && (await hashes.verify(password, account.passwordHash, signal)).matches;
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (!matches) {
    await attempt.failed();
    throw new Refusal(401, 'invalid_password', 'The password is wrong.');
  }
  // The right password alone forgets no failed factors.
  await attempt.withdrawn();
}
