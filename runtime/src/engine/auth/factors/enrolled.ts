import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import { factsOf } from '../sessions/facts.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import { type FactorChange, factorsChanged, recordFactor } from './change.ts';
import { firstRecoveryCodes } from './recovery/recovery.ts';

/** A factor that an account has now, and what its enrolment has still to do. */
export interface EnrolledFactor {
  readonly account: Account;
  /** The session in which it was proved. */
  readonly session: Session;
  readonly client: Client;
  readonly method: FactorChange['method'];
  /** Takes the factor from the account again. */
  remove(): Promise<unknown>;
}

/**
 * Ends an enrolment: the first recovery codes of an account, which are returned, and everything in line with the factor.
 * When that fails, the factor is removed again, and with it codes that no one has seen, so that the caller, who is
 * answered 503, can enrol again. Otherwise sign-ins would ask for a factor that was never confirmed to its owner. So is it
 * where the session has ended meanwhile, such as by a reset of the password: that is a Refusal.
 */
export async function completeEnrolment(
  factor: EnrolledFactor,
  system: AuthSystem,
): Promise<readonly string[] | undefined> {
  const { account, session } = factor;
  const { accounts, sessions, clock } = system;
  let hadCodes = true;
  try {
    await sessions.refuseEnded(session);
    hadCodes = (await accounts.factors.held(account.id)).recoveryCodes > 0;
    const codes = hadCodes ? undefined : await firstRecoveryCodes(account, system);
    await factorsChanged(account, session.id, system);
    await sessions.store.setFacts(session.id, await factsOf(account, system, clock.now()));
    return codes;
  } catch (error) {
    await takeBack(factor, error, system, !hadCodes);
    throw error;
  }
}

/**
 * Removes a factor whose enrolment failed, and recovery codes that no one has seen. Whatever fails of it, the rest is
 * done; of a factor that stays the log says so. Never rejects.
 */
export async function takeBack(
  { account, session, client, method, remove }: EnrolledFactor,
  error: unknown,
  system: AuthSystem,
  madeCodes = false,
): Promise<void> {
  const { accounts, log } = system;
  const { id } = account;
  await remove().catch((failure: unknown) => {
    log.error('a factor was enrolled and its enrolment could not be completed; it stays', {
      user_id: id,
      method,
      error: failure,
    });
  });
  if (madeCodes) await accounts.factors.setRecoveryCodes(id, []).catch(() => undefined);
  await factorsChanged(account, session.id, system).catch(() => undefined);
  const reason = error instanceof Refusal ? error.code : 'unavailable';
  await recordFactor(account, { event: 'mfa_enabled', method, client }, system, reason).catch(() => undefined);
}
