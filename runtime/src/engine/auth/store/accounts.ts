import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { FactorStore } from './factors.ts';
import type { IdentityStore, LinkedIdentity } from './identities.ts';
import type { AccountScope } from './scope.ts';

/** An account as it is kept. Times are milliseconds since 1970. */
export interface Account {
  /** 32 hexadecimal digits where the service made it; any text that an existing table has. */
  readonly id: string;
  /** Normalised (`accounts/email.ts`), unique. */
  readonly email: string;
  /** In PHC form, or one of the forms of `passwords/legacy.ts`; undefined where the account has no password. */
  readonly passwordHash: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Undefined where it is not known: such a password does not expire. */
  readonly passwordChangedAt: number | undefined;
  readonly roles: readonly string[];
  /** Whether a second factor is enrolled. */
  readonly mfaEnabled: boolean;
  /** Whether who has the account has shown that the address is theirs. */
  readonly emailVerified: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly lastLoginAt: number | undefined;
  /** Locked by an administrator, until unlocked. */
  readonly locked: boolean;
}

/** What may be changed of an account, besides its password. */
export type AccountChange = Partial<
  Pick<Account, 'email' | 'roles' | 'metadata' | 'lastLoginAt' | 'locked' | 'mfaEnabled' | 'emailVerified'>
>;

/** Whether an account is another one then: the time of the last sign-in is not a change. */
export function changesAccount(change: AccountChange): boolean {
  return Object.entries(change).some(([name, value]) => name !== 'lastLoginAt' && value !== undefined);
}

/** Milliseconds by which a column may have another time than what was written to it. */
export const columnPrecision = 2_000;

/** Whether an account was made later than one that was made at `former`, both as their rows say. */
export function isLaterAccount(createdAt: number, former: number): boolean {
  return createdAt > former + columnPrecision;
}

/** A new password of an account. */
export interface PasswordChange {
  readonly hash: string;
  readonly changedAt: number;
  /** Hashes that are kept in the history, the new one among them. */
  readonly keep: number;
  /** The hash that must be there still; with another one nothing changes. */
  readonly expected: string | undefined;
}

/** The same password under another hash, such as one of larger parameters. */
export interface Rehash {
  readonly hash: string;
  /** The hash that must be there still; with another one nothing changes. */
  readonly expected: string;
}

/** A device that an account signed in with. */
export interface Device {
  /** SHA-256 of its parts, hexadecimal. */
  readonly fingerprint: string;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** Where an account signed in last. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
  /** Kilometres around it; undefined where that is not known. */
  readonly accuracy: number | undefined;
  readonly label: string;
  readonly at: number;
}

/** A key pair that the service made for its tokens, in PEM. */
export interface SigningKey {
  /** `kid` of the tokens (RFC 7638 thumbprint). */
  readonly id: string;
  readonly privateKey: string;
  readonly createdAt: number;
}

/**
 * The accounts and what belongs to them for ever: in a database, or in memory. Rejects with `store_unavailable` when it
 * is unavailable. `signal` ends a wait.
 */
export interface AccountStore extends Resource {
  /** Whether it is lost with this process. */
  readonly processLocal: boolean;
  /** Whether it keeps when a password was set, so that passwords can expire. */
  readonly keepsPasswordAge: boolean;
  /** Whether it keeps roles. */
  readonly keepsRoles: boolean;
  /** What keeps apart what belongs to these accounts; the store is open. */
  readonly scope: AccountScope;
  readonly factors: FactorStore;
  readonly identities: IdentityStore;

  /**
   * Makes an account and gives its id, which is another one where an existing table numbers its rows itself; undefined
   * when its address is taken, or the identity that is to be linked to it belongs to an account. One atomic step: others
   * see the account with its identity, or neither.
   */
  create(account: Account, identity?: LinkedIdentity): Promise<string | undefined>;
  /** Makes many, whose addresses differ, in one step or one after another; of each what `create` gives. */
  createAll(accounts: readonly Account[]): Promise<readonly (string | undefined)[]>;
  byEmail(email: string): Promise<Account | undefined>;
  byId(id: string): Promise<Account | undefined>;
  /** Accounts by address, after that of the page before. */
  list(after: string | undefined, limit: number): Promise<readonly Account[]>;
  /**
   * False when there is no such account, or its new address is taken. The time of the last sign-in alone is not a change
   * of the account: `updatedAt` stays.
   */
  update(id: string, change: AccountChange, at: number): Promise<boolean>;
  /**
   * Sets a password and adds it to the history, all or nothing; false when `expected` is no longer the hash. A hash that
   * it replaces is in the history too, so that the first password of an account is.
   */
  setPassword(id: string, change: PasswordChange): Promise<boolean>;
  /** Replaces a hash, in the history too; age and history stay as they are. False when `expected` is no longer the hash. */
  rehash(id: string, change: Rehash): Promise<boolean>;
  /** Hashes of former passwords, the latest first, the present one among them where it was kept. */
  passwordHistory(id: string, most: number): Promise<readonly string[]>;
  /** Removes an account and everything that belongs to it; false when it does not exist. */
  delete(id: string): Promise<boolean>;
  /** Notes a sign-in, so that the account is not taken back any longer; false when it does not exist. One atomic step. */
  noteSignIn(id: string, at: number): Promise<boolean>;
  /** Removes an account that was made and that no one has signed in to; false when it is not so. One atomic step. */
  takeBack(id: string): Promise<boolean>;
  /** Removes what belongs to an account that does not exist any longer. What belongs to one that exists stays. */
  removeRemains(id: string): Promise<void>;

  device(id: string, fingerprint: string): Promise<Device | undefined>;
  /** Keeps a device, and forgets those unused longest beyond `most`. */
  keepDevice(id: string, device: Device, most: number): Promise<void>;
  position(id: string): Promise<Position | undefined>;
  keepPosition(id: string, position: Position): Promise<void>;

  /** The keys that are kept, the latest first. */
  signingKeys(): Promise<readonly SigningKey[]>;
  /** Keeps a key only where the latest one is still `latest`; whether it did. One atomic step for all processes. */
  addSigningKey(key: SigningKey, latest: string | undefined): Promise<boolean>;
  deleteSigningKey(id: string): Promise<void>;
}
