import type { FactorStore, HeldFactors, Passkey, PasskeyUse, TotpFactor } from '../factors.ts';

interface Enrolled {
  totp: TotpFactor | undefined;
  readonly passkeys: Map<string, Passkey>;
  codes: readonly string[];
}

/** Second factors in the memory of this process. */
export class MemoryFactorStore implements FactorStore {
  readonly #byAccount = new Map<string, Enrolled>();
  readonly #owners = new Map<string, string>();

  async held(accountId: string): Promise<HeldFactors> {
    const enrolled = this.#byAccount.get(accountId);
    return {
      totp: enrolled?.totp?.confirmedAt !== undefined,
      passkeys: enrolled?.passkeys.size ?? 0,
      recoveryCodes: enrolled?.codes.length ?? 0,
    };
  }

  async totp(accountId: string): Promise<TotpFactor | undefined> {
    return this.#byAccount.get(accountId)?.totp;
  }

  async beginTotp(accountId: string, secret: string): Promise<boolean> {
    const enrolled = this.#of(accountId);
    if (enrolled.totp?.confirmedAt !== undefined) return false;
    enrolled.totp = { secret, confirmedAt: undefined, lastStep: -1 };
    return true;
  }

  async confirmTotp(accountId: string, secret: string, step: number, at: number): Promise<boolean> {
    const enrolled = this.#byAccount.get(accountId);
    const { totp } = enrolled ?? {};
    if (enrolled === undefined || totp === undefined || totp.confirmedAt !== undefined || totp.secret !== secret)
      return false;
    enrolled.totp = { secret, confirmedAt: at, lastStep: step };
    return true;
  }

  async useTotpStep(accountId: string, step: number): Promise<boolean> {
    const enrolled = this.#byAccount.get(accountId);
    const { totp } = enrolled ?? {};
    if (enrolled === undefined || totp?.confirmedAt === undefined || step <= totp.lastStep) return false;
    enrolled.totp = { ...totp, lastStep: step };
    return true;
  }

  async removeTotp(accountId: string): Promise<boolean> {
    const enrolled = this.#byAccount.get(accountId);
    if (enrolled?.totp === undefined) return false;
    enrolled.totp = undefined;
    return true;
  }

  async passkeys(accountId: string): Promise<readonly Passkey[]> {
    const own = [...(this.#byAccount.get(accountId)?.passkeys.values() ?? [])];
    return own.sort((one, other) => one.createdAt - other.createdAt);
  }

  async passkey(id: string): Promise<{ accountId: string; passkey: Passkey } | undefined> {
    return this.#passkey(id);
  }

  async addPasskey(accountId: string, passkey: Passkey, most: number): Promise<'added' | 'taken' | 'full'> {
    if (this.#owners.has(passkey.id)) return 'taken';
    const { passkeys } = this.#of(accountId);
    if (passkeys.size >= most) return 'full';
    passkeys.set(passkey.id, passkey);
    this.#owners.set(passkey.id, accountId);
    return 'added';
  }

  async usePasskey(id: string, { from, counter, backedUp, at }: PasskeyUse): Promise<boolean> {
    const found = this.#passkey(id);
    if (found === undefined || found.passkey.counter !== from) return false;
    this.#of(found.accountId).passkeys.set(id, { ...found.passkey, counter, backedUp, lastUsedAt: at });
    return true;
  }

  async removePasskey(accountId: string, id: string): Promise<boolean> {
    if (this.#byAccount.get(accountId)?.passkeys.delete(id) !== true) return false;
    this.#owners.delete(id);
    return true;
  }

  async recoveryCodes(accountId: string): Promise<readonly string[]> {
    return this.#byAccount.get(accountId)?.codes ?? [];
  }

  async setRecoveryCodes(accountId: string, hashes: readonly string[]): Promise<void> {
    this.#of(accountId).codes = [...hashes];
  }

  async spendRecoveryCode(accountId: string, hash: string): Promise<boolean> {
    const enrolled = this.#byAccount.get(accountId);
    if (enrolled === undefined || !enrolled.codes.includes(hash)) return false;
    enrolled.codes = enrolled.codes.filter((each) => each !== hash);
    return true;
  }

  /** Forgets an account. */
  removeAll(accountId: string): void {
    for (const id of this.#byAccount.get(accountId)?.passkeys.keys() ?? []) this.#owners.delete(id);
    this.#byAccount.delete(accountId);
  }

  clear(): void {
    this.#byAccount.clear();
    this.#owners.clear();
  }

  #passkey(id: string): { accountId: string; passkey: Passkey } | undefined {
    const accountId = this.#owners.get(id);
    const passkey = accountId === undefined ? undefined : this.#byAccount.get(accountId)?.passkeys.get(id);
    return accountId === undefined || passkey === undefined ? undefined : { accountId, passkey };
  }

  #of(accountId: string): Enrolled {
    let enrolled = this.#byAccount.get(accountId);
    if (enrolled === undefined)
      this.#byAccount.set(accountId, (enrolled = { totp: undefined, passkeys: new Map(), codes: [] }));
    return enrolled;
  }
}
