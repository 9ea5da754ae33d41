import type { IdentityStore, LinkedIdentity } from '../identities.ts';

interface Linked {
  readonly accountId: string;
  identity: LinkedIdentity;
}

/** Linked identities in the memory of this process. */
export class MemoryIdentityStore implements IdentityStore {
  readonly #linked = new Map<string, Linked>();

  async find(issuer: string, subject: string): Promise<{ accountId: string; identity: LinkedIdentity } | undefined> {
    const found = this.#linked.get(keyOf(issuer, subject));
    return found && { ...found };
  }

  async of(accountId: string): Promise<readonly LinkedIdentity[]> {
    return this.#of(accountId).map(({ identity }) => identity);
  }

  async link(accountId: string, identity: LinkedIdentity): Promise<boolean> {
    const key = keyOf(identity.issuer, identity.subject);
    if (this.#linked.has(key)) return false;
    this.#linked.set(key, { accountId, identity });
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
    for (const { identity } of ended) this.#linked.delete(keyOf(identity.issuer, identity.subject));
    return ended.length;
  }

  /** Forgets an account. */
  removeAll(accountId: string): void {
    for (const [key, linked] of this.#linked) if (linked.accountId === accountId) this.#linked.delete(key);
  }

  clear(): void {
    this.#linked.clear();
  }

  #of(accountId: string): readonly Linked[] {
    return [...this.#linked.values()].filter((linked) => linked.accountId === accountId);
  }
}

function keyOf(issuer: string, subject: string): string {
  return JSON.stringify([issuer, subject]);
}
