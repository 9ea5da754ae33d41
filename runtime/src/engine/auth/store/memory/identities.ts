import type { IdentityStore, LinkedIdentity } from '../identities.ts';

interface Linked {
  readonly accountId: string;
  identity: LinkedIdentity;
}

/** Linked identities in the memory of this process. */
export class MemoryIdentityStore implements IdentityStore {
  readonly #linked = new Map<string, Linked>();
  readonly #byAccount = new Map<string, Set<Linked>>();

  async find(issuer: string, subject: string): Promise<{ accountId: string; identity: LinkedIdentity } | undefined> {
    const found = this.#linked.get(keyOf(issuer, subject));
    return found && { ...found };
  }

  isLinked({ issuer, subject }: LinkedIdentity): boolean {
    return this.#linked.has(keyOf(issuer, subject));
  }

  async of(accountId: string): Promise<readonly LinkedIdentity[]> {
    const own = this.#of(accountId).map(({ identity }) => identity);
    return own.sort((one, other) => one.linkedAt - other.linkedAt);
  }

  async link(accountId: string, identity: LinkedIdentity): Promise<boolean> {
    const key = keyOf(identity.issuer, identity.subject);
    if (this.#linked.has(key)) return false;
    const linked = { accountId, identity };
    this.#linked.set(key, linked);
    const own = this.#byAccount.get(accountId);
    if (own === undefined) this.#byAccount.set(accountId, new Set([linked]));
    else own.add(linked);
    return true;
  }

  async update(
    issuer: string,
    subject: string,
    said: Pick<LinkedIdentity, 'email' | 'name' | 'picture' | 'updatedAt'>,
  ): Promise<boolean> {
    const found = this.#linked.get(keyOf(issuer, subject));
    if (found === undefined) return false;
    const { email, name, picture, updatedAt } = said;
    found.identity = { ...found.identity, email, name, picture, updatedAt };
    return true;
  }

  async unlink(accountId: string, provider: string, keepsOne: boolean): Promise<number> {
    const own = this.#of(accountId);
    const ended = own.filter(({ identity }) => identity.provider === provider);
    if (keepsOne && ended.length === own.length) return 0;
    for (const linked of ended) this.#forget(linked);
    return ended.length;
  }

  async remove(accountId: string, { issuer, subject }: Pick<LinkedIdentity, 'issuer' | 'subject'>): Promise<boolean> {
    const linked = this.#linked.get(keyOf(issuer, subject));
    if (linked?.accountId !== accountId) return false;
    this.#forget(linked);
    return true;
  }

  /** Forgets an account. */
  removeAll(accountId: string): void {
    for (const linked of this.#of(accountId)) this.#forget(linked);
  }

  clear(): void {
    this.#linked.clear();
    this.#byAccount.clear();
  }

  #of(accountId: string): readonly Linked[] {
    return [...(this.#byAccount.get(accountId) ?? [])];
  }

  #forget(linked: Linked): void {
    const { accountId, identity } = linked;
    this.#linked.delete(keyOf(identity.issuer, identity.subject));
    const own = this.#byAccount.get(accountId);
    own?.delete(linked);
    if (own?.size === 0) this.#byAccount.delete(accountId);
  }
}

function keyOf(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}
