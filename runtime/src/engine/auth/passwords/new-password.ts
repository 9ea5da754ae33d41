import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

type Judging = Pick<AuthSystem, 'policy' | 'breaches' | 'hashes' | 'accounts' | 'settings'>;

/**
 * Refuses a password that the policy does not allow, then one that others know, then one that the account had before.
 * `account` is absent for one that does not exist yet. Throws a Refusal.
 */
export async function refuseUnfit(
  password: string,
  email: string,
  account: Account | undefined,
  system: Judging,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { policy, breaches, hashes, accounts, settings } = system;
  const weaknesses = policy.weaknesses(password, email);
  if (weaknesses.length > 0) throw new Refusal(400, 'weak_password', weaknesses.join(' '));
  const found = (await breaches?.count(password, signal)) ?? 0;
  if (found > 0)
    throw new Refusal(
      400,
      'breached_password',
      `This password is in lists of stolen passwords (${found} times). Choose another one.`,
    );
  if (account === undefined || settings.password.history === 0) return;
  const most = settings.password.history;
  const kept = await accounts.passwordHistory(account.id, most);
  const { passwordHash: present } = account;
  const former = present === undefined || kept.includes(present) ? kept : [present, ...kept];
  if (await hashes.reused(password, former, most, signal))
    throw new Refusal(400, 'password_reused', `The last ${most} passwords of the account cannot be used again.`);
}
