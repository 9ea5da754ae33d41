import type { Resource } from '../plan/plan.ts';

interface Shared {
  readonly resource: Resource;
  /** Made once; a generation that comes later waits for the same opening. */
  opening: Promise<void> | undefined;
  holders: number;
}

/** What the flows of a process share whatever generation they belong to, by a key that says everything about it. */
export class SharedResources {
  readonly #shared = new Map<string, Shared>();

  /** The view of one generation, which holds what it has asked for until it is released. */
  lease(): ResourceLease {
    return new ResourceLease(this.#shared);
  }
}

/** The shared resources of one generation. */
export class ResourceLease {
  readonly #shared: Map<string, Shared>;
  readonly #keys = new Set<string>();

  constructor(shared: Map<string, Shared>) {
    this.#shared = shared;
  }

  /** The resource of this key; `make` is called when no generation has one. The type of a key never changes. */
  share<T extends Resource>(key: string, make: () => T): T {
    let shared = this.#shared.get(key);
    if (shared === undefined) this.#shared.set(key, (shared = { resource: make(), opening: undefined, holders: 0 }));
    if (!this.#keys.has(key)) {
      this.#keys.add(key);
      shared.holders++;
    }
    return shared.resource as T;
  }

  get all(): readonly Resource[] {
    return [...this.#held()].map(({ resource }) => resource);
  }

  /** Opens with `open` what no generation has opened yet, and waits for what another one is opening. */
  async open(open: (resource: Resource) => Promise<void>): Promise<void> {
    await Promise.all(
      [...this.#held()].map((shared) => {
        shared.opening ??= open(shared.resource);
        return shared.opening;
      }),
    );
  }

  /** Closes what no other generation holds. */
  async release(): Promise<void> {
    const closing: Promise<void>[] = [];
    for (const key of this.#keys) {
      const shared = this.#shared.get(key) as Shared;
      if (--shared.holders > 0) continue;
      this.#shared.delete(key);
      closing.push(shared.resource.close());
    }
    this.#keys.clear();
    await Promise.allSettled(closing);
  }

  *#held(): Iterable<Shared> {
    for (const key of this.#keys) yield this.#shared.get(key) as Shared;
  }
}
