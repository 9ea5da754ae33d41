import { recordLock } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { spendRecoveryCode } from './recovery/recovery.ts';
import { useTotp } from './totp/totp.ts';

/** What was shown of a factor that was proved. */
export interface FactorProof {
  readonly method: 'totp' | 'webauthn' | 'recovery_code';
  /** Set where a recovery code was spent. */
  readonly recoveryCodesLeft?: number;
}

/** Looks at what was sent to prove a factor of an account; undefined where it proves none. A right answer is right once. */
export type Prove = (account: Account) => Promise<FactorProof | undefined>;

/** A code of the authenticator app, or a recovery code, which is spent. */
export function proveCode(code: string, system: AuthSystem, signal: AbortSignal | undefined): Prove {
  const recover = proveRecoveryCode(code, system, signal);
  return async (account) =>
    (await useTotp(account, code.replaceAll(/[\s-]/g, ''), system)) ? { method: 'totp' } : recover(account);
}

/** A recovery code, which is spent. */
export function proveRecoveryCode(code: string, system: AuthSystem, signal: AbortSignal | undefined): Prove {
  return async (account) => {
    const left = await spendRecoveryCode(account, code, system, signal);
    return left === undefined ? undefined : { method: 'recovery_code', recoveryCodesLeft: left };
  };
}

/**
 * Looks at a proof as one try of the account, whatever address it comes from and whatever it is for. Rejects with 429
 * `account_locked` after too many that were wrong: nothing is looked at then.
 */
export async function tryFactor(
  account: Account,
  prove: Prove,
  client: Client,
  system: AuthSystem,
): Promise<FactorProof | undefined> {
  const attempt = await system.lockout.beginFactor(account.id);
  let proof: FactorProof | undefined;
  try {
    proof = await prove(account);
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (proof !== undefined) await attempt.succeeded();
  else if (await attempt.failed()) await recordLock(account.email, client, account, system);
  return proof;
}
