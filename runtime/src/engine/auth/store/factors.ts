/** A secret that an authenticator app shares with the service. Times are milliseconds since 1970. */
export interface TotpFactor {
  /** As `factors/totp/seal.ts` writes it. */
  readonly secret: string;
  /** Undefined: enrolment was begun, and no code was shown yet. */
  readonly confirmedAt: number | undefined;
  /** Number of the last period whose code was accepted; -1 before the first. */
  readonly lastStep: number;
}

/** A passkey (WebAuthn Level 3, section 4). Times are milliseconds since 1970. */
export interface Passkey {
  /** Credential id, base64url. */
  readonly id: string;
  /** COSE key, base64url. */
  readonly publicKey: string;
  /** Signature counter; 0 where the authenticator does not count. */
  readonly counter: number;
  readonly name: string;
  readonly transports: readonly string[];
  /** Model of the authenticator, a UUID. */
  readonly aaguid: string;
  /** Whether it can be copied to other devices, and whether it was. */
  readonly backupEligible: boolean;
  readonly backedUp: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | undefined;
}

/** What an account has enrolled. */
export interface HeldFactors {
  readonly totp: boolean;
  readonly passkeys: number;
  /** Codes that were not spent. */
  readonly recoveryCodes: number;
}

/** What a use of a passkey changes. */
export interface PasskeyUse {
  /** The counter that must be there still. */
  readonly from: number;
  readonly counter: number;
  readonly backedUp: boolean;
  readonly at: number;
}

/**
 * Second factors of accounts, kept where the accounts are. Each method is atomic. Rejects with `store_unavailable` when
 * the store is unavailable.
 */
export interface FactorStore {
  /** What an account has, in one round trip. */
  held(accountId: string): Promise<HeldFactors>;

  totp(accountId: string): Promise<TotpFactor | undefined>;
  /** Begins an enrolment in place of one that was not confirmed; false where one is confirmed. */
  beginTotp(accountId: string, secret: string): Promise<boolean>;
  /** Confirms an enrolment with the first code; false where another one was begun meanwhile, or it is confirmed. */
  confirmTotp(accountId: string, secret: string, step: number, at: number): Promise<boolean>;
  /** Accepts the code of a period once: false unless it is confirmed and `step` is later than the last one. */
  useTotpStep(accountId: string, step: number): Promise<boolean>;
  /** False where there is nothing to remove. */
  removeTotp(accountId: string): Promise<boolean>;

  /** The passkeys of an account, the oldest first. */
  passkeys(accountId: string): Promise<readonly Passkey[]>;
  passkey(id: string): Promise<{ readonly accountId: string; readonly passkey: Passkey } | undefined>;
  /** `taken` where any account has a passkey with this id, `full` where this one has `most`. */
  addPasskey(accountId: string, passkey: Passkey, most: number): Promise<'added' | 'taken' | 'full'>;
  /** Notes a use; false where its counter is no longer `from`, or it does not exist. */
  usePasskey(id: string, use: PasskeyUse): Promise<boolean>;
  removePasskey(accountId: string, id: string): Promise<boolean>;

  /** Hashes of codes that were not spent. */
  recoveryCodes(accountId: string): Promise<readonly string[]>;
  /** Replaces all codes. */
  setRecoveryCodes(accountId: string, hashes: readonly string[]): Promise<void>;
  /** Of several who spend one code at once, one gets true. */
  spendRecoveryCode(accountId: string, hash: string): Promise<boolean>;
}
