import { createHash } from 'node:crypto';
import type { Storage } from '../../foundation/contracts/storage.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import { seal, sealingKey, unseal } from '../../platform/identity/sealing.ts';
import type { Attempt } from '../../platform/oidc/authorization.ts';
import { isSame } from '../../platform/oidc/authorization-answer.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';

/** Characters of a state: longer ones were never given. */
const longestState = 256;
/** Sign-ins under way in the memory of a process: the oldest ends for one more. */
const mostInMemory = 20_000;
/** Tells the key that what is kept is sealed with from whatever else is made of the state. */
const purpose = 'svc oauth attempt 1';

interface Kept extends Omit<Attempt, 'state'> {
  /** Digest of what the browser is known by. */
  readonly binding?: string | undefined;
}

/** Where sign-ins are kept that have begun, in the memory of a process. */
export function memoryOfProcess(clock: Clock): () => Storage {
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: mostInMemory, defaultTtl: undefined }, clock);
  return () => storage;
}

/**
 * Sign-ins that have begun at one provider: each is kept under a digest of its state until it is taken, which one caller
 * can do. It is sealed with a key made of the state, so that who reads the storage learns nothing, and who writes there is
 * not believed. Rejects with `store_unavailable` when the storage is unavailable.
 */
export class Attempts {
  readonly #connector: string;
  readonly #storage: () => Storage;
  readonly #clock: Clock;

  constructor(connector: string, storage: () => Storage, clock: Clock) {
    this.#connector = connector;
    this.#storage = storage;
    this.#clock = clock;
  }

  /** `binding`: what the browser is known by; undefined where the flow says nothing of it. */
  async keep({ state, ...attempt }: Attempt, binding: string | undefined): Promise<void> {
    const kept: Kept = { ...attempt, ...(binding !== undefined && { binding: digestOf(binding) }) };
    const lifetime = Math.max(1, attempt.endsAt - this.#clock.now());
    const sealed = seal(sealingKey(state, purpose), JSON.stringify(kept), this.#connector);
    await this.#storage().set(this.#key(state), sealed, lifetime);
  }

  /**
   * What was begun under a state, which is over with that. Rejects with `input_refused` where it was not begun here, was
   * taken, is too old, or was begun by another browser.
   */
  async take(state: string, binding: string | undefined): Promise<Attempt> {
    const { binding: expected, ...attempt } = (await this.#taken(state)) ?? refuse();
    const isBound = binding === undefined ? expected === undefined : isSame(digestOf(binding), expected ?? '');
    return isBound ? { ...attempt, state } : refuse();
  }

  async #taken(state: string): Promise<Kept | undefined> {
    if (state.length > longestState) return undefined;
    const key = this.#key(state);
    const storage = this.#storage();
    const text = await storage.get(key);
    // Of several who read it, one deletes it.
    if (text === undefined || !(await storage.deleteIf(key, text))) return undefined;
    const opened = unseal(sealingKey(state, purpose), text, this.#connector);
    return opened === undefined ? undefined : (JSON.parse(opened) as Kept);
  }

  #key(state: string): string {
    return `oauth:${this.#connector}:${digestOf(state)}`;
  }
}

function refuse(): never {
  throw new Failure(
    'input_refused',
    'this sign-in was not begun here or by this browser, was ended already, or is too old: begin again',
    { fields: [{ field: 'state', code: 'unknown', message: 'is not one that can be ended' }] },
  );
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
