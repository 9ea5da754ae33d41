import { sharedStorage } from '../../../platform/sync/storage-spec.ts';
import { factorsChanged } from '../factors/change.ts';
import { refuseUnfit } from '../passwords/new-password.ts';
import { issueReset, type ResetLink } from '../passwords/reset.ts';
import { Refusal } from '../refusal.ts';
import type { Account, AccountChange } from '../store/accounts.ts';
import type { HeldFactors } from '../store/factors.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import { normalisedEmail } from './email.ts';
import { endFormer, newAccount } from './register.ts';

export interface Addition {
  readonly email: string;
  readonly roles: readonly string[];
  /** Undefined: the person sets one with a link. */
  readonly password: string | undefined;
}

/** What became of the sessions of an account that was changed. */
export interface Ended {
  /** Undefined where sessions are in the memory of the service: nothing else can end them. */
  readonly sessions: number | undefined;
}

/** What can be removed of an account whose person has lost it. */
export const factorKinds = ['totp', 'passkeys', 'recovery-codes'] as const;

export type FactorKind = (typeof factorKinds)[number];

/** The same in the words of records. */
const recordedMethods = { totp: 'totp', passkeys: 'webauthn', 'recovery-codes': 'recovery_code' } as const;

/**
 * What an administrator does with accounts, by the same engines as the endpoints. Whatever takes a right away ends the
 * sessions of the account. Throws a Refusal.
 */
export class Administration {
  readonly #system: AuthSystem;

  constructor(system: AuthSystem) {
    this.#system = system;
  }

  list(after: string | undefined, limit: number): Promise<readonly Account[]> {
    return this.#system.accounts.list(after, limit);
  }

  /** By any spelling of its address. */
  async find(email: string): Promise<Account> {
    const account = await this.#system.accounts.byEmail(addressOf(email));
    if (account !== undefined) return account;
    throw new Refusal(404, 'user_not_found', `there is no account ${email}`);
  }

  async add({ email, roles, password }: Addition): Promise<{ account: Account; reset: ResetLink | undefined }> {
    const { accounts, audit, hashes, state } = this.#system;
    const address = addressOf(email);
    this.#requireRoles(roles);
    if (password === undefined)
      this.#requireShared('a link that sets a password; give the password with --password-stdin');
    else await refuseUnfit(password, address, undefined, this.#system, undefined);
    const hash = password === undefined ? undefined : await hashes.hash(password);
    const account = newAccount(address, hash, {}, roles, this.#system);
    const id = await accounts.create(account);
    if (id === undefined) throw new Refusal(409, 'user_exists', `there is an account ${address} already`);
    const made = { ...account, id };
    if (id !== account.id && !state.processLocal) await endFormer(id, this.#system);
    await audit.record({ event: 'register', ...this.#about(made, { roles }) });
    return { account: made, reset: password === undefined ? await issueReset(made, this.#system) : undefined };
  }

  async lock(account: Account): Promise<Ended> {
    await this.#update(account, { locked: true });
    return this.#end(account);
  }

  /** Lifts the lock of an administrator, and the one that failures led to where they are counted by account. */
  async unlock(account: Account): Promise<void> {
    await this.#update(account, { locked: false });
    const { settings, lockout, state } = this.#system;
    if (state.processLocal) return;
    await lockout.forgetFactor(account.id);
    if (settings.brute_force.track_by === 'user') await lockout.forget('', account.email);
  }

  async setRoles(account: Account, roles: readonly string[]): Promise<Ended> {
    this.#requireRoles(roles);
    await this.#update(account, { roles });
    return this.#end(account);
  }

  /** What an account has enrolled. */
  factors(account: Account): Promise<HeldFactors> {
    return this.#system.accounts.factors.held(account.id);
  }

  /** Removes what a person has lost, and ends the sessions of the account. Throws a Refusal where there is nothing of it. */
  async removeFactors(account: Account, kind: FactorKind): Promise<Ended> {
    const { accounts, audit } = this.#system;
    const held = await this.factors(account);
    const isThere = { totp: held.totp, passkeys: held.passkeys > 0, 'recovery-codes': held.recoveryCodes > 0 }[kind];
    if (!isThere) throw new Refusal(404, 'not_enrolled', `${account.email} has nothing of this: ${kind}`);
    const method = recordedMethods[kind];
    await audit.record({ event: 'mfa_disabled', ...this.#about(account, { method }) });
    // First: what is being enrolled in one of them is removed too, or not enrolled.
    const ended = await this.#end(account);
    if (kind === 'totp') await accounts.factors.removeTotp(account.id);
    else if (kind === 'recovery-codes') await accounts.factors.setRecoveryCodes(account.id, []);
    else
      for (const { id } of await accounts.factors.passkeys(account.id))
        await accounts.factors.removePasskey(account.id, id);
    await factorsChanged(account, undefined, this.#system);
    return ended;
  }

  /** A link that sets a password once; those before it end, the password stays until then. */
  async reset(account: Account): Promise<ResetLink> {
    this.#requireShared('a link that sets a password');
    const link = await issueReset(account, this.#system);
    await this.#system.audit.record({ event: 'password_reset', ...this.#about(account, {}) });
    return link;
  }

  sessions(account: Account): Promise<readonly Session[]> {
    this.#requireShared('sessions');
    return this.#system.state.sessions.of(account.id);
  }

  /** Signs the account out everywhere. */
  async endSessions(account: Account): Promise<Ended> {
    await this.#system.audit.record({ event: 'session_revoked', ...this.#about(account, { all: true }) });
    return this.#end(account);
  }

  async #end(account: Account): Promise<Ended> {
    const { state } = this.#system;
    if (state.processLocal) return { sessions: undefined };
    return { sessions: (await state.sessions.endAll(account.id)).length };
  }

  async delete(account: Account): Promise<Ended> {
    const { accounts, audit, state } = this.#system;
    await audit.record({ event: 'account_changed', ...this.#about(account, { deleted: true }) });
    if (!(await accounts.delete(account.id)))
      throw new Refusal(404, 'user_not_found', `there is no account ${account.email}`);
    if (!state.processLocal) await state.tickets.dropAll('reset', account.id);
    return this.#end(account);
  }

  async #update(account: Account, change: AccountChange): Promise<void> {
    const { accounts, audit, clock } = this.#system;
    await audit.record({ event: 'account_changed', ...this.#about(account, { ...change }) });
    if (await accounts.update(account.id, change, clock.now())) return;
    throw new Refusal(404, 'user_not_found', `there is no account ${account.email}`);
  }

  #requireRoles(roles: readonly string[]): void {
    if (roles.length === 0 || this.#system.accounts.keepsRoles) return;
    throw new Refusal(
      400,
      'roles_not_kept',
      'the accounts have no column for roles; write users { fields { roles = "roles" } }',
    );
  }

  #requireShared(what: string): void {
    if (!this.#system.state.processLocal) return;
    const remedy = `write auth { storage { ${sharedStorage} } }`;
    throw new Refusal(409, 'state_in_memory', `the memory of the service alone holds ${what}: ${remedy}`);
  }

  #about({ id, email }: Account, metadata: Readonly<Record<string, unknown>>) {
    return { user_id: id, email, client: undefined, success: true, reason: undefined, metadata };
  }
}

function addressOf(email: string): string {
  const address = normalisedEmail(email);
  if (address !== undefined) return address;
  throw new Refusal(400, 'invalid_request', `"${email}" is not an email address`);
}
