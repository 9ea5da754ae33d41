import { afterEach, beforeEach, expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { SagaAction, SagaProgram } from '../program.ts';
import type { WorkflowStore } from '../store/store.ts';
import { sqliteBed } from '../testing/beds.ts';
import { engineOn, instanceOf, programOf } from '../testing/engines.ts';
import type { StoreBed } from '../testing/store-conformance.ts';

let bed: StoreBed;
let store: WorkflowStore;
const engines: { stop(): Promise<void> }[] = [];

beforeEach(async () => {
  bed = await sqliteBed();
  store = await bed.store();
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
  await bed.close();
});

async function begun(program: SagaProgram) {
  const { engine } = engineOn(store, [program]);
  engines.push(engine);
  await engine.start();
  const state = instanceOf(program);
  await engine.begin(state);
  const found = async () => (await store.get(state.id))?.state;
  const status = async () => (await found())?.status;
  const history = async () => (await found())?.history?.map(({ kind, step, tries }) => [kind, step, tries]);
  return { id: state.id, engine, found, status, history };
}

const works: SagaAction = async () => 'x';
const breaks: SagaAction = async () => {
  throw new Failure('connector_refused', 'no');
};
/** Fails so often before it works. */
const worksAfter = (failures: number): SagaAction => {
  let left = failures;
  return async () => {
    if (left-- > 0) throw new Failure('connector_refused', 'no');
    return 'x';
  };
};
const retry = { attempts: 3, wait: () => 1 };

test('the history has waits, what ended them, and how often each action was tried', async () => {
  const program = programOf({
    hold: { action: works },
    pay: { action: worksAfter(2), retry },
    optional: { action: breaks, onError: 'skip' },
    pickup: { await: 'keys' },
    rest: { delay: 1, action: works },
  });
  const { id, engine, status, history, found } = await begun(program);
  await expect.poll(status).toBe('waiting');
  await store.signal(id, 'keys', {}, Date.now());
  engine.wake();
  await expect.poll(status, { timeout: 5000 }).toBe('completed');
  expect(await history()).toEqual([
    ['done', 'hold', 1],
    ['done', 'pay', 3],
    ['skipped', 'optional', 1],
    ['waiting', 'pickup', undefined],
    ['signalled', 'pickup', undefined],
    ['done', 'pickup', undefined],
    ['waiting', 'rest', undefined],
    ['resumed', 'rest', undefined],
    ['done', 'rest', 1],
    ['ended', undefined, undefined],
  ]);
  const times = (await found())?.history?.map(({ at }) => at) ?? [];
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times.every((at) => Number.isInteger(at))).toBe(true);
});

test('the history has what failed, and what was undone of it and what not', async () => {
  const program = programOf({
    hold: { action: works, compensate: worksAfter(1) },
    note: { action: works },
    charge: {
      action: works,
      compensate: async () => {
        throw new Failure('body_undecodable', 'no');
      },
    },
    ship: { action: breaks },
  });
  const { history, status } = await begun(program);
  await expect.poll(status, { timeout: 5000 }).toBe('compensation_failed');
  expect(await history()).toEqual([
    ['done', 'hold', 1],
    ['done', 'note', 1],
    ['done', 'charge', 1],
    ['failed', 'ship', 1],
    ['not_compensated', 'charge', 1],
    ['compensated', 'hold', 2],
    ['ended', undefined, undefined],
  ]);
});

test('the history has a cancellation, and a failure after the last step', async () => {
  const waits = await begun(programOf({ hold: { action: works, compensate: works }, pickup: { await: 'keys' } }));
  await expect.poll(waits.status).toBe('waiting');
  await store.requestCancel(waits.id, Date.now());
  waits.engine.wake();
  await expect.poll(waits.status).toBe('cancelled');
  expect(await waits.history()).toEqual([
    ['done', 'hold', 1],
    ['waiting', 'pickup', undefined],
    ['cancelled', 'pickup', undefined],
    ['compensated', 'hold', 1],
    ['ended', undefined, undefined],
  ]);
  const late = await begun(programOf({ hold: { action: works } }, { onComplete: breaks }));
  await expect.poll(late.status).toBe('failed');
  expect(await late.history()).toEqual([
    ['done', 'hold', 1],
    ['failed', undefined, 1],
    ['ended', undefined, undefined],
  ]);
});
