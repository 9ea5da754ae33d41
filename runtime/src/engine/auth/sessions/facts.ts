import { demandsFactors, dutyOf } from '../factors/policy.ts';
import { passwordEnd } from '../passwords/expiry.ts';
import { Refusal } from '../refusal.ts';
import { type Account, columnPrecision, isLaterAccount } from '../store/accounts.ts';
import type { Session, SessionFacts } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';

/** What a session of an account may do; `mfaAt`: when a factor was proved in it, in milliseconds since 1970. */
export async function factsOf(
  account: Account,
  { settings, accounts }: Pick<AuthSystem, 'settings' | 'accounts'>,
  mfaAt: number | undefined,
): Promise<SessionFacts> {
  const passwordExpiresAt = passwordEnd(settings.password, accounts, account);
  const enrolBy = demandsFactors(settings.mfa)
    ? dutyOf(settings, account, await accounts.factors.held(account.id)).dueAt
    : undefined;
  return {
    ...(passwordExpiresAt !== undefined && { passwordExpiresAt }),
    ...(enrolBy !== undefined && { enrolBy }),
    ...(mfaAt !== undefined && { mfaAt }),
    accountAt: account.createdAt,
    ...(account.passwordChangedAt !== undefined && { passwordAt: account.passwordChangedAt }),
  };
}

/** Milliseconds within which a change of the password notes in the session that made it that it did. */
const changing = 10_000;

/** Whether a session belongs to its account; `changing`: not known yet, since its password is changed now. */
export type Belonging = 'belongs' | 'outdated' | 'changing';

/**
 * Whether a session belongs to the account that its row says: another account may have the id of a former one, and another
 * program, or a service that keeps its sessions elsewhere, may have set the password, and has ended no session here. `now`: milliseconds since 1970.
 */
export function belongingOf(
  { createdAt, facts }: Session,
  account: Pick<Account, 'createdAt' | 'passwordChangedAt'>,
  now: number,
): Belonging {
  const { accountAt, passwordAt = createdAt } = facts;
  if (accountAt === undefined) return 'belongs';
  if (isLaterAccount(account.createdAt, accountAt)) return 'outdated';
  const { passwordChangedAt: changedAt } = account;
  if (changedAt === undefined || changedAt <= passwordAt + columnPrecision) return 'belongs';
  return now - changedAt < changing ? 'changing' : 'outdated';
}

/** Why a session may do little. Of two reasons the password is first: nothing else can be done before it is changed. */
export type SessionState = 'password_expired' | 'mfa_enrolment_required';

const refusals: Readonly<Record<SessionState, string>> = {
  password_expired: 'The password has expired; change it.',
  mfa_enrolment_required: 'This account needs a second factor; enrol one.',
};

export function stateRefusal(state: SessionState): Refusal {
  return new Refusal(403, state, refusals[state]);
}

/** Undefined: it may do everything. `now`: milliseconds since 1970. */
export function stateOf({ facts: { passwordExpiresAt, enrolBy } }: Session, now: number): SessionState | undefined {
  if (passwordExpiresAt !== undefined && passwordExpiresAt <= now) return 'password_expired';
  return enrolBy !== undefined && enrolBy <= now ? 'mfa_enrolment_required' : undefined;
}

/** Renews what every session of an account may do, after its password or its factors were changed. */
export async function renewFacts(
  account: Account,
  system: Pick<AuthSystem, 'settings' | 'accounts' | 'sessions'>,
): Promise<void> {
  const { store } = system.sessions;
  const facts = await factsOf(account, system, undefined);
  for (const session of await store.of(account.id)) {
    const { mfaAt } = session.facts;
    await store.setFacts(session.id, { ...facts, ...(mfaAt !== undefined && { mfaAt }) });
  }
}
