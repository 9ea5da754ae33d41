import type { Resource } from '../../../foundation/contracts/plan.ts';

/**
 * What is open in this process for sessions, and is notified when one is ended here. It outlives reloads, as connections do.
 * Sessions that another process ends, and those whose time is over, are found by who looks at them.
 */
export class SessionEndings implements Resource {
  readonly name = 'endings of sessions';
  readonly #watching = new Map<string, Set<() => void>>();

  /** Calls once when a session is ended here; gives what stops that. */
  watch(id: string, act: () => void): () => void {
    const acts = this.#watching.get(id) ?? new Set();
    const own = () => act();
    this.#watching.set(id, acts.add(own));
    return () => {
      acts.delete(own);
      if (acts.size === 0 && this.#watching.get(id) === acts) this.#watching.delete(id);
    };
  }

  /** Sessions have ended. */
  tell(ids: readonly string[]): void {
    for (const id of ids) {
      const acts = this.#watching.get(id);
      this.#watching.delete(id);
      for (const act of acts ?? []) act();
    }
  }

  /** Sessions that something is open for. */
  get size(): number {
    return this.#watching.size;
  }

  async open(): Promise<void> {}

  async close(): Promise<void> {}
}
