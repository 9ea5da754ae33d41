import type { Account } from '../../store/accounts.ts';
import type { AuthSystem } from '../../system.ts';
import { hashesOfCodes, hashOfCode, newCode } from './code.ts';

/** Replaces the recovery codes of an account: all those before are void. They are shown once, and kept as hashes. */
export async function replaceRecoveryCodes(
  { id }: Pick<Account, 'id'>,
  { settings, accounts, hashes }: AuthSystem,
): Promise<readonly string[]> {
  const { code_count: count, code_length: length } = settings.mfa.recovery;
  const codes = new Set<string>();
  while (codes.size < count) codes.add(newCode(length));
  const made = [...codes];
  await accounts.factors.setRecoveryCodes(id, await hashesOfCodes(made, hashes));
  return made;
}

/**
 * Codes for an account without any, such as with its first factor of any kind; undefined where it has some, or none are
 * made.
 */
export async function firstRecoveryCodes(
  account: Pick<Account, 'id'>,
  system: AuthSystem,
): Promise<readonly string[] | undefined> {
  if (!system.settings.mfa.recovery.enabled) return undefined;
  const { recoveryCodes } = await system.accounts.factors.held(account.id);
  return recoveryCodes > 0 ? undefined : replaceRecoveryCodes(account, system);
}

/** Spends a recovery code: how many are left then; undefined where it is not one of the account, or was spent. */
export async function spendRecoveryCode(
  { id }: Account,
  code: string,
  { settings, accounts, hashes }: AuthSystem,
  signal: AbortSignal | undefined,
): Promise<number | undefined> {
  const { factors } = accounts;
  if (!settings.mfa.recovery.enabled) return undefined;
  const hash = await hashOfCode(code, await factors.recoveryCodes(id), hashes, signal);
  if (hash === undefined || !(await factors.spendRecoveryCode(id, hash))) return undefined;
  return (await factors.held(id)).recoveryCodes;
}
