import { randomBytes } from 'node:crypto';
import { Failure } from '../../../../foundation/errors/failure.ts';
import {
  type Account,
  type AccountChange,
  type AccountStore,
  changesAccount,
  type Device,
  type PasswordChange,
  type Position,
  type Rehash,
  type SigningKey,
} from '../accounts.ts';
import type { LinkedIdentity } from '../identities.ts';
import { AccountScope } from '../scope.ts';
import { MemoryFactorStore } from './factors.ts';
import { MemoryIdentityStore } from './identities.ts';

/** An account is never evicted, so that more are refused. */
const most = 100_000;

interface Kept {
  account: Account;
  /** The latest first. */
  history: readonly string[];
  /** The one that was used last is the last. */
  readonly devices: Map<string, Device>;
  position: Position | undefined;
}

/** Accounts in the memory of this process, lost with it; a reload keeps them. */
export class MemoryAccountStore implements AccountStore {
  readonly name = 'auth:accounts:memory';
  readonly processLocal = true;
  readonly keepsPasswordAge = true;
  readonly keepsRoles = true;
  readonly scope = new AccountScope(randomBytes(16).toString('hex'));
  readonly factors = new MemoryFactorStore();
  readonly identities = new MemoryIdentityStore();
  readonly #most: number;
  readonly #byId = new Map<string, Kept>();
  readonly #ids = new Map<string, string>();
  #keys: readonly SigningKey[] = [];

  constructor(mostAccounts = most) {
    this.#most = mostAccounts;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {
    this.#byId.clear();
    this.#ids.clear();
    this.#keys = [];
    this.factors.clear();
    this.identities.clear();
  }

  async create(account: Account, identity?: LinkedIdentity): Promise<string | undefined> {
    if (this.#ids.has(account.email)) return undefined;
    if (identity !== undefined && this.identities.isLinked(identity)) return undefined;
    if (this.#byId.size >= this.#most) {
      const message = `the memory of the sign-in system holds ${this.#most} accounts, and no more fit; keep them in a database with users { connector }`;
      throw new Failure('store_unavailable', message);
    }
    if (this.#byId.has(account.id)) throw new Failure('internal', 'the id of the account is taken');
    const kept = { account: copyOf(account), history: [], devices: new Map(), position: undefined };
    this.#byId.set(account.id, kept);
    this.#ids.set(account.email, account.id);
    if (identity !== undefined) await this.identities.link(account.id, identity);
    return account.id;
  }

  createAll(accounts: readonly Account[]): Promise<readonly (string | undefined)[]> {
    return Promise.all(accounts.map((account) => this.create(account)));
  }

  async byEmail(email: string): Promise<Account | undefined> {
    const id = this.#ids.get(email);
    return id === undefined ? undefined : this.byId(id);
  }

  async byId(id: string): Promise<Account | undefined> {
    const account = this.#byId.get(id)?.account;
    return account && copyOf(account);
  }

  async list(after: string | undefined, limit: number): Promise<readonly Account[]> {
    const emails = [...this.#ids.keys()].filter((email) => after === undefined || email > after).sort();
    const kept = emails.slice(0, limit).map((email) => this.#byId.get(this.#ids.get(email) as string) as Kept);
    return kept.map(({ account }) => copyOf(account));
  }

  async update(id: string, change: AccountChange, at: number): Promise<boolean> {
    const kept = this.#byId.get(id);
    if (kept === undefined) return false;
    const { account } = kept;
    const email = change.email ?? account.email;
    if (email !== account.email && this.#ids.has(email)) return false;
    const written = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
    const updatedAt = changesAccount(change) ? at : account.updatedAt;
    kept.account = copyOf({ ...account, ...written, updatedAt });
    this.#ids.delete(account.email);
    this.#ids.set(email, id);
    return true;
  }

  async setPassword(id: string, { hash, changedAt, keep, expected }: PasswordChange): Promise<boolean> {
    const kept = this.#byId.get(id);
    if (kept === undefined || kept.account.passwordHash !== expected) return false;
    const former = kept.history[0] === expected || expected === undefined ? kept.history : [expected, ...kept.history];
    kept.history = [hash, ...former].slice(0, keep);
    kept.account = { ...kept.account, passwordHash: hash, passwordChangedAt: changedAt, updatedAt: changedAt };
    return true;
  }

  async rehash(id: string, { hash, expected }: Rehash): Promise<boolean> {
    const kept = this.#byId.get(id);
    if (kept === undefined || kept.account.passwordHash !== expected) return false;
    kept.history = kept.history.map((each) => (each === expected ? hash : each));
    kept.account = { ...kept.account, passwordHash: hash };
    return true;
  }

  async passwordHistory(id: string, mostHashes: number): Promise<readonly string[]> {
    return this.#byId.get(id)?.history.slice(0, mostHashes) ?? [];
  }

  async delete(id: string): Promise<boolean> {
    const kept = this.#byId.get(id);
    if (kept === undefined) return false;
    this.#ids.delete(kept.account.email);
    this.factors.removeAll(id);
    this.identities.removeAll(id);
    return this.#byId.delete(id);
  }

  async noteSignIn(id: string, at: number): Promise<boolean> {
    return this.update(id, { lastLoginAt: at }, at);
  }

  async takeBack(id: string): Promise<boolean> {
    return this.#byId.get(id)?.account.lastLoginAt === undefined && this.delete(id);
  }

  async removeRemains(id: string): Promise<void> {
    if (this.#byId.has(id)) return;
    this.factors.removeAll(id);
    this.identities.removeAll(id);
  }

  async device(id: string, fingerprint: string): Promise<Device | undefined> {
    return this.#byId.get(id)?.devices.get(fingerprint);
  }

  async keepDevice(id: string, device: Device, mostDevices: number): Promise<void> {
    const devices = this.#byId.get(id)?.devices;
    if (devices === undefined) return;
    devices.delete(device.fingerprint);
    devices.set(device.fingerprint, { ...device });
    const byUse = [...devices.values()].sort((a, b) => a.lastSeen - b.lastSeen);
    const others = byUse.filter(({ fingerprint }) => fingerprint !== device.fingerprint);
    for (const { fingerprint } of others.slice(0, Math.max(0, devices.size - mostDevices))) devices.delete(fingerprint);
  }

  async position(id: string): Promise<Position | undefined> {
    return this.#byId.get(id)?.position;
  }

  async keepPosition(id: string, position: Position): Promise<void> {
    const kept = this.#byId.get(id);
    if (kept !== undefined) kept.position = { ...position };
  }

  async signingKeys(): Promise<readonly SigningKey[]> {
    return this.#keys;
  }

  async addSigningKey(key: SigningKey, latest: string | undefined): Promise<boolean> {
    if (this.#keys[0]?.id !== latest) return false;
    this.#keys = [{ ...key }, ...this.#keys];
    return true;
  }

  async deleteSigningKey(id: string): Promise<void> {
    this.#keys = this.#keys.filter((key) => key.id !== id);
  }
}

/** Callers do not share objects with what is kept. */
function copyOf(account: Account): Account {
  return { ...account, roles: [...account.roles], metadata: structuredClone(account.metadata) };
}
