import { beforeEach, describe, expect, test } from 'vitest';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { MemorySyncStore } from '../../../../platform/sync/memory/store.ts';
import type { LockGrant } from '../../../../platform/sync/store.ts';
import { serve } from '../../../plan/testing/service.ts';

/** A store that answers later, all that was asked in one turn together. */
class RemoteStore extends MemorySyncStore {
  override readonly processLocal = false;
  /** What was asked, turn by turn. */
  readonly turns: string[][] = [];
  fails: Failure | undefined;
  #turn: Promise<void> | undefined;

  constructor() {
    super(systemClock);
  }

  async #asked<T>(what: string, work: () => T): Promise<T> {
    if (this.#turn === undefined) {
      this.turns.push([]);
      this.#turn = new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
        this.#turn = undefined;
      });
    }
    this.turns.at(-1)?.push(what);
    const result = work();
    await this.#turn;
    return result;
  }

  override acquire(key: string, ttl: number) {
    return this.#asked('acquire', () => super.acquire(key, ttl) as LockGrant | undefined) as never;
  }

  override release(key: string, owner: string) {
    return this.#asked('release', () => super.release(key, owner)) as never;
  }

  override sequence(key: string) {
    return this.#asked('read', () => super.sequence(key)) as never;
  }

  override raiseSequence(key: string, value: bigint, ttl: number | undefined) {
    return this.#asked('raise', () => {
      if (this.fails) throw this.fails;
      return super.raiseSequence(key, value, ttl);
    }) as never;
  }
}

const flow = (between = '') => `flow "f" {
  from {
    connector = "events"
    operation = "stock"
  }
  lock {
    key   = "'stock:' + input.sku"
    retry = "1ms"
  }
  ${between}
  sequence_guard {
    key      = "'stock:' + input.named"
    sequence = "input.revision"
    storage { driver = "memory" }
  }
  to {
    connector = "db"
    target    = "stock"
  }
}`;

describe('a sequence guard with the store of the lock around it', () => {
  let store: RemoteStore;

  beforeEach(() => {
    store = new RemoteStore();
  });

  async function begin(configuration = flow(), answer = () => ({ affected: 1 }) as object | Promise<object>) {
    const service = await serve(configuration, { clock: systemClock, shared: { 'sync:memory': store }, answer });
    const deliver = async (revision: number, more: object = {}) =>
      service.deliver('f', { sku: 'a', named: 'a', revision, ...more });
    return { ...service, deliver };
  }

  test('asks in the turns in which the lock is taken and released', async () => {
    const { deliver } = await begin();
    expect(await deliver(2)).toMatchObject({ kind: 'reply' });
    expect(await deliver(1)).toMatchObject({ kind: 'drop' });
    expect(store.turns).toEqual([['acquire', 'read'], ['raise', 'release'], ['acquire', 'read'], ['release']]);
  });

  test('reads again when the lock was not taken at once', async () => {
    const { promise, resolve } = Promise.withResolvers<object>();
    const { deliver, calls } = await begin(flow(), () => promise);
    const newer = deliver(2);
    await expect.poll(() => calls.length).toBe(1);
    const older = deliver(1);
    await expect.poll(() => store.turns.length).toBeGreaterThan(3);
    resolve({ affected: 1 });
    expect(await newer).toMatchObject({ kind: 'reply' });
    expect(await older).toMatchObject({ kind: 'drop', reason: 'sequence_older' });
    expect(calls).toHaveLength(1);
    expect(store.turns.slice(-2)).toEqual([['read'], ['release']]);
  });

  test('reads in a turn of its own after a semaphore', async () => {
    const { deliver } = await begin(flow('semaphore {\n    key = "pool"\n    max_permits = 1\n  }'));
    expect(await deliver(1)).toMatchObject({ kind: 'reply' });
    expect(store.turns).toEqual([['acquire'], ['read'], ['raise'], ['release']]);
  });

  test('releases the lock when its key cannot be determined, and when the flow fails, whose number is not kept', async () => {
    const { deliver } = await begin(flow(), () => {
      throw new Failure('connector_refused', 'no response');
    });
    await expect(deliver(1, { named: null })).rejects.toMatchObject({ code: 'expression_failed' });
    await expect(deliver(1)).rejects.toMatchObject({ code: 'connector_refused' });
    expect(store.turns).toEqual([['acquire'], ['release'], ['acquire', 'read'], ['release']]);
  });

  test('a number that cannot be kept is logged, and the lock released', async () => {
    const { deliver, log } = await begin();
    store.fails = new Failure('store_unavailable', 'it is unavailable');
    expect(await deliver(1)).toMatchObject({ kind: 'reply' });
    expect(store.turns.at(-1)).toEqual(['raise', 'release']);
    expect(log.filter(({ level }) => level === 'error')).toMatchObject([
      { message: 'the number of a message was not kept', fields: { code: 'store_unavailable' } },
    ]);
  });
});
