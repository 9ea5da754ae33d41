import { Fields } from '@svc/protocol/cel';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SagaState } from '../program.ts';
import type { Claim, Lease, StoredWorkflow, WorkflowStore } from '../store/store.ts';

/** A database of one test. */
export interface StoreBed {
  /** A store on it, as another process would have one. */
  store(options?: { readonly create?: boolean; readonly table?: string }): Promise<WorkflowStore>;
  close(): Promise<void>;
}

const start = 1_000_000;

/** An instance as it begins. */
export function stateOf(id: string, over: Partial<SagaState> = {}): SagaState {
  return {
    id,
    saga: 'rent',
    status: 'running',
    step: 0,
    input: { van: 7n },
    results: {},
    undo: [],
    ending: undefined,
    signal: undefined,
    resumeAt: undefined,
    awaiting: undefined,
    stepExpiresAt: undefined,
    expiresAt: undefined,
    error: undefined,
    compensationErrors: [],
    attempts: 0,
    startedAt: start,
    ...over,
  };
}

const ids = (workflows: readonly StoredWorkflow[]) => workflows.map(({ state }) => state.id);
const lease = (owner: string, until = start + 30_000): Lease => ({ owner, until });
const claim = (owner: string, now = start, over: Partial<Claim> = {}): Claim => ({
  sagas: ['rent'],
  lease: lease(owner, now + 30_000),
  now,
  limit: 10,
  ...over,
});

/** What every store of workflows does, whatever its database. */
export function storeConformance(name: string, open: () => Promise<StoreBed>): void {
  describe(`workflows in ${name}`, () => {
    let bed: StoreBed;
    let store: WorkflowStore;
    beforeEach(async () => {
      bed = await open();
      store = await bed.store();
      await store.prepare();
    });
    afterEach(() => bed.close());

    /** Keeps an instance that waits. */
    async function waiting(id: string, over: Partial<SagaState>): Promise<void> {
      const state = stateOf(id);
      await store.create(state, 'hold', lease('a'));
      const next = { ...state, status: 'waiting' as const, ...over };
      const saving = { lease: lease('a'), now: start, unlessCancelled: true };
      expect(await store.save({ state: next, stepName: 'pickup', version: 1 }, saving)).toBe('kept');
    }

    describe('what is kept', () => {
      test('every value comes back with its type and all its digits', async () => {
        const state = stateOf('wf_1', {
          input: {
            small: 3n,
            large: 12345678901234567890n,
            whole: 5,
            half: 0.5,
            text: 'ÿ\u0000"\\',
            list: [null, true, { deep: -1n }],
            ['__proto__']: { polluted: 1n },
          },
          results: { hold: { id: 9007199254740993n } },
          signal: { by: 'ann' },
          resumeAt: start + 1,
          awaiting: 'keys',
          stepExpiresAt: start + 2,
          expiresAt: start + 3,
          error: 'boom',
          undo: ['hold'],
          ending: 'cancelled',
          compensationErrors: ['hold: away'],
          attempts: 2,
        });
        await store.create(state, 'pickup', undefined);
        const kept = await store.get('wf_1');
        expect(kept).toMatchObject({ stepName: 'pickup', cancelRequested: false, version: 1, updatedAt: start });
        expect(kept?.state).toEqual(state);
        expect(kept?.state.input).toBeInstanceOf(Fields);
        expect(await store.get('wf_2')).toBe(undefined);
      });

      test('fields that a later version adds to the state survive', async () => {
        await store.create({ ...stateOf('wf_1'), auth: { user_id: 'u' } } as SagaState, undefined, undefined);
        expect((await store.get('wf_1'))?.state).toMatchObject({ auth: { user_id: 'u' } });
      });

      test('the history comes back as it was', async () => {
        const history = [
          { at: start, kind: 'done', step: 'hold', tries: 2 },
          { at: start + 1, kind: 'ended', step: undefined, tries: undefined },
        ] as const;
        await store.create(stateOf('wf_1', { history: [...history] }), undefined, undefined);
        expect((await store.get('wf_1'))?.state.history).toEqual(history);
      });

      test('a failure whose text contains any character is kept', async () => {
        await store.create(stateOf('wf_1', { error: 'a\u0000b' }), undefined, undefined);
        expect((await store.get('wf_1'))?.state.error).toBe('a\ufffdb');
      });

      test('an id can be used once', async () => {
        await store.create(stateOf('wf_1'), 'hold', undefined);
        await expect(store.create(stateOf('wf_1'), 'hold', undefined)).rejects.toMatchObject({
          code: 'constraint_violated',
        });
      });
    });

    describe('tables', () => {
      test('preparing twice and from several processes at once succeeds', async () => {
        const stores = await Promise.all([1, 2, 3].map(() => bed.store({ table: 'others' })));
        await Promise.all(stores.map((each) => each.prepare()));
        await stores[0]?.prepare();
        await stores[1]?.create(stateOf('wf_1'), 'hold', undefined);
        expect(ids((await (stores[2] as WorkflowStore).list({ limit: 5 })).workflows)).toEqual(['wf_1']);
      });

      test('a missing table is reported with its remedy when it may not be created', async () => {
        const other = await bed.store({ create: false, table: 'missing' });
        await expect(other.prepare()).rejects.toThrow(
          /table "missing" of connector "db" cannot hold workflows: .*missing.*; write auto_create = true/,
        );
      });
    });

    describe('claims', () => {
      test('what is held is not claimed until its lease ends', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        expect(await store.claim(claim('b', start + 29_999))).toEqual([]);
        const [taken] = await store.claim(claim('b', start + 30_000));
        expect(taken).toMatchObject({ state: { id: 'wf_1', status: 'running' }, stepName: 'hold', version: 2 });
      });

      test('R-44: of many that claim at once, one gets each', async () => {
        const all = Array.from({ length: 20 }, (_, index) => `wf_${index}`);
        for (const id of all) await store.create(stateOf(id), 'hold', undefined);
        const others = await Promise.all(['b', 'c', 'd'].map(() => bed.store()));
        const claims = await Promise.all(
          [store, ...others].map((each, index) => each.claim(claim(`owner ${index}`, start, { limit: 20 }))),
        );
        expect(claims.flatMap(ids).sort()).toEqual(all.sort());
      });

      test('no more than asked for, those that are due first', async () => {
        await waiting('wf_late', { resumeAt: start + 200 });
        await waiting('wf_early', { resumeAt: start + 100 });
        expect(await store.claim(claim('b', start + 99))).toEqual([]);
        expect(await store.nextWake(['rent'])).toBe(start + 100);
        expect(ids(await store.claim(claim('b', start + 300, { limit: 1 })))).toEqual(['wf_early']);
        expect(ids(await store.claim(claim('b', start + 300, { limit: 9 })))).toEqual(['wf_late']);
      });

      test('a wait is due at the earliest of its times, or never by itself', async () => {
        await waiting('wf_1', { awaiting: 'keys', stepExpiresAt: start + 50, expiresAt: start + 100 });
        await waiting('wf_2', { awaiting: 'keys' });
        expect(ids(await store.claim(claim('b', start + 60)))).toEqual(['wf_1']);
        expect(ids(await store.claim(claim('b', start + 10_000_000)))).toEqual(['wf_1']);
        expect(await store.nextWake(['rent'])).toBe(start + 10_030_000);
      });

      test('instances of sagas that the process does not know stay as they are', async () => {
        await store.create(stateOf('wf_1', { saga: 'renamed' }), 'hold', undefined);
        expect(await store.claim(claim('b'))).toEqual([]);
        expect(await store.claim(claim('b', start, { sagas: [] }))).toEqual([]);
        expect(await store.nextWake([])).toBe(undefined);
        expect(await store.counts()).toEqual([{ saga: 'renamed', status: 'running', count: 1 }]);
      });

      test('ended instances are never claimed', async () => {
        for (const status of ['completed', 'failed', 'cancelled', 'compensation_failed'] as const) {
          await store.create(stateOf(status), 'hold', lease('a'));
          const saving = { lease: lease('a'), now: start, unlessCancelled: false };
          await store.save({ state: stateOf(status, { status }), stepName: undefined, version: 1 }, saving);
        }
        expect(await store.claim(claim('b', start + 1e9))).toEqual([]);
        expect(await store.counts()).toEqual([]);
      });
    });

    describe('saves', () => {
      test('a process that lost its lease cannot write', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        const [taken] = await store.claim(claim('b', start + 30_000));
        const saving = { lease: lease('a', start + 90_000), now: start + 40_000, unlessCancelled: true };
        const state = stateOf('wf_1', { step: 1, results: { hold: 1n } });
        expect(await store.save({ state, stepName: 'pay', version: 1 }, saving)).toBe('lost');
        expect(await store.save({ state, stepName: 'pay', version: 2 }, saving)).toBe('lost');
        expect(await store.get('wf_1')).toEqual(taken);
      });

      test('saving again after a lost answer finds that it was done', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        const saving = { lease: lease('a'), now: start + 1, unlessCancelled: true };
        const running = { state: stateOf('wf_1', { step: 1 }), stepName: 'pay', version: 1 };
        expect([await store.save(running, saving), await store.save(running, saving)]).toEqual(['kept', 'kept']);
        const done = { state: stateOf('wf_1', { step: 2, status: 'completed' }), stepName: undefined, version: 2 };
        expect([await store.save(done, saving), await store.save(done, saving)]).toEqual(['kept', 'kept']);
        expect(await store.get('wf_1')).toMatchObject({ version: 3, updatedAt: start + 1 });
      });

      test('a renewed lease lasts, those of others and of released instances do not change', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        await store.create(stateOf('wf_2'), 'hold', lease('b'));
        await store.renew(['wf_1', 'wf_2'], lease('a', start + 60_000));
        await store.renew([], lease('a', start + 60_000));
        expect(ids(await store.claim(claim('c', start + 59_999)))).toEqual(['wf_2']);
        await store.release('wf_1', { owner: 'b', version: 1 }, start);
        await store.release('wf_1', { owner: 'a', version: 2 }, start);
        expect(await store.claim(claim('c', start + 59_999))).toEqual([]);
        await store.release('wf_1', { owner: 'a', version: 1 }, start);
        expect(ids(await store.claim(claim('c', start)))).toEqual(['wf_1']);
      });
    });

    describe('signals', () => {
      test('R-59: one that comes before the wait is kept, and makes the wait due', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        expect(await store.signal('wf_1', 'keys', { by: 'ann', at: 12345678901234567890n }, start)).toBe('kept');
        expect(await store.claim(claim('b'))).toEqual([]);
        const state = stateOf('wf_1', { status: 'waiting', awaiting: 'keys', stepExpiresAt: start + 1e6 });
        await store.save(
          { state, stepName: 'pickup', version: 1 },
          { lease: lease('a'), now: start, unlessCancelled: true },
        );
        const [taken] = await store.claim(claim('b'));
        expect(ids([taken as StoredWorkflow])).toEqual(['wf_1']);
        expect(await store.pendingSignal('wf_1', 'keys')).toEqual({ by: 'ann', at: 12345678901234567890n });
      });

      test('R-59: of several for one event one is kept, and taking it up deletes it with the same change', async () => {
        await waiting('wf_1', { awaiting: 'keys' });
        const answers = await Promise.all([1n, 2n, 3n].map((by) => store.signal('wf_1', 'keys', { by }, start)));
        expect(answers.sort()).toEqual(['already', 'already', 'kept']);
        const [taken] = await store.claim(claim('b'));
        const state = { ...(taken as StoredWorkflow).state, status: 'running' as const, awaiting: undefined };
        const workflow = { state, stepName: 'pickup', version: 3 };
        const saving = { now: start, unlessCancelled: true, taken: 'keys' };
        expect(await store.save(workflow, { ...saving, lease: lease('a') })).toBe('lost');
        expect(await store.pendingSignal('wf_1', 'keys')).toBeDefined();
        expect(await store.save(workflow, { ...saving, lease: lease('b') })).toBe('kept');
        expect(await store.pendingSignal('wf_1', 'keys')).toBe(undefined);
      });

      test('one of another event does not make a wait due', async () => {
        await waiting('wf_1', { awaiting: 'keys' });
        await store.signal('wf_1', 'paid', {}, start);
        expect(await store.claim(claim('b'))).toEqual([]);
      });

      test('nothing is kept for what has ended or never existed', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        await store.signal('wf_1', 'late', {}, start);
        const state = stateOf('wf_1', { status: 'completed' });
        const saving = { lease: lease('a'), now: start, unlessCancelled: true };
        await store.save({ state, stepName: undefined, version: 1 }, saving);
        expect(await store.pendingSignal('wf_1', 'late')).toBe(undefined);
        expect(await store.signal('wf_1', 'keys', {}, start)).toBe('ended');
        expect(await store.signal('wf_9', 'keys', {}, start)).toBe('unknown');
      });
    });

    describe('cancellations', () => {
      test('one of a waiting instance makes it due', async () => {
        await waiting('wf_1', { awaiting: 'keys' });
        expect(await store.requestCancel('wf_1', start + 5)).toBe(true);
        expect(await store.requestCancel('wf_1', start + 6)).toBe(false);
        expect(await store.claim(claim('b', start + 5))).toMatchObject([{ cancelRequested: true }]);
      });

      test('R-43: one of a running instance is reported to its owner at the next save', async () => {
        await store.create(stateOf('wf_1'), 'hold', lease('a'));
        expect(await store.requestCancel('wf_1', start)).toBe(true);
        expect(await store.claim(claim('b'))).toEqual([]);
        const workflow = { state: stateOf('wf_1', { step: 1, undo: ['hold'] }), stepName: 'pay', version: 1 };
        const saving = { lease: lease('a'), now: start };
        expect(await store.save(workflow, { ...saving, unlessCancelled: true })).toBe('cancel_requested');
        expect(await store.get('wf_1')).toMatchObject({ version: 1, state: { step: 0 } });
        expect(await store.save(workflow, { ...saving, unlessCancelled: false })).toBe('kept');
      });

      test('one of what has ended, is being undone, has done all steps or never existed changes nothing', async () => {
        await store.create(stateOf('wf_1', { status: 'compensating' }), 'hold', undefined);
        await store.create(stateOf('wf_2', { step: 2 }), undefined, lease('a'));
        expect(await store.requestCancel('wf_1', start)).toBe(false);
        expect(await store.requestCancel('wf_2', start)).toBe(false);
        expect(await store.requestCancel('wf_9', start)).toBe(false);
      });
    });

    test('lists are paged from the newest, and filtered', async () => {
      for (const [index, saga] of ['rent', 'sell', 'rent', 'rent'].entries())
        await store.create(stateOf(`wf_${index}`, { saga, startedAt: start + Math.min(index, 2) }), 'hold', undefined);
      const first = await store.list({ limit: 2 });
      expect(ids(first.workflows)).toEqual(['wf_3', 'wf_2']);
      const second = await store.list({ limit: 2, after: first.next });
      expect({ ids: ids(second.workflows), next: second.next }).toEqual({ ids: ['wf_1', 'wf_0'], next: undefined });
      expect(ids((await store.list({ limit: 9, saga: 'rent', status: 'running' })).workflows)).toEqual([
        'wf_3',
        'wf_2',
        'wf_0',
      ]);
      expect((await store.list({ limit: 9, status: 'waiting' })).workflows).toEqual([]);
      expect(await store.counts()).toHaveLength(2);
    });

    test('a list without what the instances hold has the same order, pages and filters', async () => {
      const input = { secret: 'x'.repeat(100_000) };
      for (const [index, saga] of ['rent', 'sell', 'rent'].entries())
        await store.create(stateOf(`wf_${index}`, { saga, input, startedAt: start + index }), 'hold', undefined);
      await waiting('wf_3', { awaiting: 'keys', stepExpiresAt: start + 9 });
      await store.requestCancel('wf_3', start + 5);
      const first = await store.brief({ limit: 2, saga: 'rent' });
      const second = await store.brief({ limit: 2, saga: 'rent', after: first.next });
      expect([first, second].map(({ workflows }) => workflows.map(({ state }) => state.id))).toEqual([
        ['wf_2', 'wf_3'],
        ['wf_0'],
      ]);
      expect(second.next).toBeUndefined();
      const state = { id: 'wf_3', saga: 'rent', status: 'waiting', step: 0, awaiting: 'keys', startedAt: start };
      const times = { resumeAt: undefined, expiresAt: undefined, stepExpiresAt: start + 9, error: undefined };
      expect((await store.brief({ limit: 2, status: 'waiting' })).workflows).toEqual([
        { state: { ...state, ...times }, stepName: 'pickup', updatedAt: start + 5, cancelRequested: true },
      ]);
    });
  });
}
