import { recordingRefusals, recordLock } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import { confirmOwner, confirmOwnerOrFactor, type OwnerRequest } from '../passwords/confirm.ts';
import { Refusal } from '../refusal.ts';
import { factsOf } from '../sessions/facts.ts';
import type { Account } from '../store/accounts.ts';
import type { TotpFactor } from '../store/factors.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import { factorsChanged, recordFactor } from './change.ts';
import { wrongFactor } from './complete.ts';
import { completeEnrolment, takeBack } from './enrolled.ts';
import { holdsFactor } from './policy.ts';
import { type FactorProof, type Prove, tryFactor } from './prove.ts';
import { replaceRecoveryCodes } from './recovery/recovery.ts';
import { beginTotp, confirmTotp, type TotpEnrolment } from './totp/totp.ts';

/** Who shows a factor in a session. */
export interface FactorRequest {
  readonly account: Account;
  readonly session: Session;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/** Begins to enrol an authenticator app. Throws a Refusal. */
export async function setUpTotp(asked: OwnerRequest, system: AuthSystem): Promise<TotpEnrolment> {
  await confirmOwner(asked, system);
  return beginTotp(asked.account, system);
}

/**
 * Confirms the authenticator app whose enrolment was begun. Gives recovery codes to an account without any. The session is
 * one in which a factor was proved. Throws a Refusal.
 */
export async function enrolTotp(
  asked: FactorRequest,
  begun: TotpFactor,
  code: string,
  system: AuthSystem,
): Promise<{ readonly recoveryCodes: readonly string[] | undefined }> {
  const { account, session, client } = asked;
  const change = { event: 'mfa_enabled', method: 'totp', client } as const;
  const admitted = () => recordFactor(account, change, system);
  const remove = () => system.accounts.factors.removeTotp(account.id);
  const enrolled = { account, session, client, method: 'totp', remove } as const;
  let isConfirmed = false;
  const prove: Prove = async () => {
    isConfirmed = await confirmTotp(account, begun, code, system, admitted);
    return isConfirmed ? { method: 'totp' } : undefined;
  };
  try {
    await shown(asked, prove, system);
  } catch (error) {
    if (isConfirmed) await takeBack(enrolled, error, system);
    else if (error instanceof Refusal) await recordFactor(account, change, system, error.code);
    throw error;
  }
  return { recoveryCodes: await completeEnrolment(enrolled, system) };
}

/** Proves a factor again in a session; a refusal is recorded like that of a sign-in. Throws a Refusal. */
export async function stepUp(asked: FactorRequest, prove: Prove, system: AuthSystem): Promise<FactorProof> {
  const { account, client } = asked;
  const subject = { account, client, email: account.email };
  const proof = await recordingRefusals(subject, system, () => shown(asked, prove, system));
  await noteProof(asked, system);
  return proof;
}

/** Removes the authenticator app. Throws a Refusal. */
export async function removeTotp(asked: OwnerRequest, system: AuthSystem): Promise<void> {
  const { account, session, client } = asked;
  const { factors } = system.accounts;
  await confirmOwner(asked, system);
  if ((await factors.totp(account.id)) === undefined) throw notEnrolled();
  await recordFactor(account, { event: 'mfa_disabled', method: 'totp', client }, system);
  if (!(await factors.removeTotp(account.id))) throw notEnrolled();
  await factorsChanged(account, session.id, system);
}

/** New recovery codes; all those before are void. Throws a Refusal. */
export async function renewRecoveryCodes(asked: OwnerRequest, system: AuthSystem): Promise<readonly string[]> {
  const { account, client } = asked;
  await confirmOwnerOrFactor(asked, system);
  if (!holdsFactor(await system.accounts.factors.held(account.id)))
    throw new Refusal(400, 'mfa_error', 'Recovery codes stand in for a factor, and this account is without one.');
  const who = { user_id: account.id, email: account.email };
  const metadata = { method: 'recovery_code', replaced: true };
  await system.audit.record({ event: 'mfa_enabled', ...who, client, success: true, reason: undefined, metadata });
  return replaceRecoveryCodes(account, system);
}

/** A proof that is shown in a session: counted like one that completes a sign-in. Throws a Refusal where it is wrong. */
async function shown(
  { account, client, signal }: FactorRequest,
  prove: Prove,
  system: AuthSystem,
): Promise<FactorProof> {
  const attempt = await system.lockout.begin(client.ip, account.email, signal);
  let proof: FactorProof | undefined;
  try {
    proof = await tryFactor(account, prove, client, system);
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (proof !== undefined) {
    await attempt.succeeded();
    return proof;
  }
  if (await attempt.failed()) await recordLock(account.email, client, account, system);
  throw wrongFactor();
}

async function noteProof({ account, session }: FactorRequest, system: AuthSystem): Promise<void> {
  await system.sessions.store.setFacts(session.id, await factsOf(account, system, system.clock.now()));
}

function notEnrolled(): Refusal {
  return new Refusal(400, 'mfa_error', 'No authenticator app is enrolled.');
}
