import type { AuthSettings, MfaSettings } from '../settings.ts';
import type { Account } from '../store/accounts.ts';
import type { HeldFactors } from '../store/factors.ts';

/** What an account must have enrolled. */
export interface FactorDuty {
  /** Kinds of factors. */
  readonly wanted: number;
  readonly held: number;
  /**
   * When its sessions may do little more than enrol, in milliseconds since 1970; undefined where it has enough, or needs
   * none.
   */
  readonly dueAt: number | undefined;
}

const noDuty: FactorDuty = { wanted: 0, held: 0, dueAt: undefined };

/** Whether any account can owe a factor, so that what accounts hold is looked up at every sign-in. */
export function demandsFactors({ enabled, required, require_for: roles }: MfaSettings): boolean {
  return enabled && required !== 'false' && (required !== 'optional' || roles.length > 0);
}

/** What an account must have enrolled (docs/specification/sign-in.md#second-factors). */
export function dutyOf({ mfa }: Pick<AuthSettings, 'mfa'>, account: Account, held: HeldFactors): FactorDuty {
  if (!demandsFactors(mfa) || !applies(mfa, account.roles)) return noDuty;
  const kinds = kindsOf(held, mfa);
  const wanted = Math.max(1, mfa.require_multiple ? 2 : 0, mfa.min_factors);
  return {
    wanted,
    held: kinds,
    dueAt: kinds >= wanted ? undefined : account.createdAt + mfa.grace_period,
  };
}

/** Whether an account has anything to prove at a sign-in; what was enrolled counts, also where its method was removed. */
export function holdsFactor({ totp, passkeys }: HeldFactors): boolean {
  return totp || passkeys > 0;
}

/** The factors that an account has, in the words of `mfa_methods`. */
export function methodsOf({ totp, passkeys }: HeldFactors): readonly ('totp' | 'webauthn')[] {
  return [...(totp ? (['totp'] as const) : []), ...(passkeys > 0 ? (['webauthn'] as const) : [])];
}

/** Kinds of factors that an account has and that are still offered: recovery codes do not count. */
function kindsOf(held: HeldFactors, { methods }: MfaSettings): number {
  return methodsOf(held).filter((method) => methods.includes(method)).length;
}

/** Whether an account with these roles must have a factor, whatever it has. */
export function mustHoldFactor(mfa: MfaSettings, roles: readonly string[]): boolean {
  return demandsFactors(mfa) && applies(mfa, roles);
}

function applies({ required, require_for: named }: MfaSettings, roles: readonly string[]): boolean {
  if (required === 'true') return true;
  const wanted = new Set([...(required === 'admin_only' ? ['admin'] : []), ...named].map(spelled));
  return roles.some((role) => wanted.has(spelled(role)));
}

function spelled(role: string): string {
  return role.trim().toLowerCase();
}
