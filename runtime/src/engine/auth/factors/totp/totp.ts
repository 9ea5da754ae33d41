import { Refusal } from '../../refusal.ts';
import type { Account } from '../../store/accounts.ts';
import type { TotpFactor } from '../../store/factors.ts';
import type { AuthSystem } from '../../system.ts';
import { pictureOf, provisioningUri } from './address.ts';
import { type CodeForm, newSecret, readSecret, type SharedSecret, stepOf, writtenSecret } from './code.ts';

/** What an authenticator app needs; shown once. */
export interface TotpEnrolment {
  /** Base32. */
  readonly secret: string;
  readonly provisioningUri: string;
  /** Data URL of a PNG of the address. */
  readonly qrCode: string;
}

/**
 * Begins to enrol an authenticator app, in place of an enrolment that was not confirmed. Throws a Refusal where one is
 * enrolled: it is removed first, so that who was let in for a moment replaces nothing.
 */
export async function beginTotp(account: Account, system: AuthSystem): Promise<TotpEnrolment> {
  const { settings, accounts, seal, serviceName } = system;
  const { totp } = settings.mfa;
  const form: CodeForm = {
    algorithm: totp?.algorithm ?? 'SHA1',
    digits: (totp?.digits ?? 6) as CodeForm['digits'],
    period: totp?.period ?? 30,
  };
  const shared = await newSecret(form);
  if (!(await accounts.factors.beginTotp(account.id, seal.close(writtenSecret(shared), account.id))))
    throw new Refusal(400, 'mfa_error', 'An authenticator app is enrolled already; remove it first.');
  const uri = provisioningUri(shared, totp?.issuer ?? serviceName, account.email);
  return { secret: shared.secret, provisioningUri: uri, qrCode: await pictureOf(uri) };
}

/**
 * Whether a code confirms the enrolment that was begun. `admitted` is called with a right code before it takes effect. Rejects
 * where it rejects.
 */
export async function confirmTotp(
  account: Account,
  { secret }: TotpFactor,
  code: string,
  system: AuthSystem,
  admitted: () => Promise<void>,
): Promise<boolean> {
  const step = await matchingStep(account, secret, code, system);
  if (step === undefined) return false;
  await admitted();
  return system.accounts.factors.confirmTotp(account.id, secret, step, system.clock.now());
}

/** Whether it is a code of the app that is enrolled, which is not accepted again, nor any earlier one. */
export async function useTotp(account: Account, code: string, system: AuthSystem): Promise<boolean> {
  const { factors } = system.accounts;
  const enrolled = await factors.totp(account.id);
  if (enrolled?.confirmedAt === undefined) return false;
  const step = await matchingStep(account, enrolled.secret, code, system);
  return step !== undefined && step > enrolled.lastStep && factors.useTotpStep(account.id, step);
}

async function matchingStep(
  account: Account,
  sealed: string,
  code: string,
  { seal, settings, clock, log }: AuthSystem,
): Promise<number | undefined> {
  const shared = openedSecret(seal.open(sealed, account.id));
  if (shared === undefined) {
    log.error('the secret of an authenticator app cannot be read: `secret` is not the one that it was kept with', {
      user_id: account.id,
    });
    return undefined;
  }
  return stepOf(code, shared, settings.mfa.totp?.skew ?? 1, clock.now());
}

function openedSecret(text: string | undefined): SharedSecret | undefined {
  return text === undefined ? undefined : readSecret(text);
}
