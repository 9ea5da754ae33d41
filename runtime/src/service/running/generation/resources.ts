import type { Resource, WatchedResource } from '../../../foundation/contracts/plan.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { closed } from './leases.ts';

/** Users of a resource that its name in health lists. */
const mostNamed = 3;

interface Shared {
  readonly resource: Resource;
  /** Made once; a generation that comes later waits for the same opening. */
  opening: Promise<void> | undefined;
  holders: number;
}

/** Resources that the flows of a process share across generations, by a key that describes each completely. */
export class SharedResources {
  readonly #shared = new Map<string, Shared>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The view of one generation, which holds what it has requested until it is released. */
  lease(): ResourceLease {
    return new ResourceLease(this.#shared, this.#log);
  }
}

/** The shared resources of one generation. */
export class ResourceLease {
  readonly #shared: Map<string, Shared>;
  readonly #log: Log;
  /** Keys of what is held, with the blocks that use it. */
  readonly #keys = new Map<string, Set<string>>();

  constructor(shared: Map<string, Shared>, log: Log) {
    this.#shared = shared;
    this.#log = log;
  }

  /** The resource of this key; `make` is called when no generation has one. The type of a key never changes. */
  share<T extends Resource>(key: string, make: () => T, user?: string): T {
    let shared = this.#shared.get(key);
    if (shared === undefined) this.#shared.set(key, (shared = { resource: make(), opening: undefined, holders: 0 }));
    let users = this.#keys.get(key);
    if (users === undefined) {
      this.#keys.set(key, (users = new Set()));
      shared.holders++;
    }
    if (user !== undefined) users.add(user);
    return shared.resource as T;
  }

  /** Those whose health can be checked. State that is merely shared has no health. */
  get watched(): readonly WatchedResource[] {
    return [...this.#keys].flatMap(([key, users]) => {
      const { resource } = this.#shared.get(key) as Shared;
      if (resource.check === undefined) return [];
      return [{ resource, name: nameOf(users) ?? resource.name, optional: false }];
    });
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

  /** Closes what no other generation holds, each within `limit` milliseconds. Returns whether all of it closed. */
  async release(limit: number): Promise<boolean> {
    const closing: Promise<boolean>[] = [];
    for (const key of this.#keys.keys()) {
      const shared = this.#shared.get(key) as Shared;
      if (--shared.holders > 0) continue;
      this.#shared.delete(key);
      closing.push(closed(shared.resource, limit, this.#log));
    }
    this.#keys.clear();
    return (await Promise.all(closing)).every((isClosed) => isClosed);
  }

  *#held(): Iterable<Shared> {
    for (const key of this.#keys.keys()) yield this.#shared.get(key) as Shared;
  }
}

/** The blocks that share a resource, the first few by name. */
function nameOf(users: ReadonlySet<string>): string | undefined {
  if (users.size === 0) return undefined;
  const named = [...users].slice(0, mostNamed).join(', ');
  return users.size > mostNamed ? `${named} and ${users.size - mostNamed} more` : named;
}
