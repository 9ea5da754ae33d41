import { afterEach, describe, expect, test } from 'vitest';
import { ManualClock } from '../service/testing/manual-clock.ts';
import { MemorySyncStore } from './memory/store.ts';
import type { SyncStore } from './store.ts';

/** A store under test, and how its time passes. */
interface Subject {
  readonly store: SyncStore;
  readonly pass: (milliseconds: number) => Promise<unknown>;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function memory(): Promise<Subject> {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  await store.open();
  cleanups.push(() => store.close());
  return { store, pass: (milliseconds) => clock.pass(milliseconds) };
}

/** Behaviour of every store; times are multiples of 100 ms so that a server's clock can follow. */
const subjects: readonly { readonly name: string; readonly make: () => Promise<Subject>; readonly skip?: boolean }[] = [
  { name: 'memory', make: memory },
];

describe.each(subjects)('$name', ({ make, skip }) => {
  test.skipIf(skip)('one owner has a lock until it releases it', async () => {
    const { store } = await make();
    const first = await store.acquire('k', 60_000);
    expect(first).toBeDefined();
    expect(await store.acquire('k', 60_000)).toBe(undefined);
    expect(await store.acquire('other', 60_000)).toBeDefined();
    const owner = first?.owner ?? '';
    expect([
      await store.release('k', 'somebody'),
      await store.release('k', owner),
      await store.release('k', owner),
    ]).toEqual([false, true, false]);
    expect(await store.acquire('k', 60_000)).toBeDefined();
  });

  test.skipIf(skip)('R-50: whoever lost a lock can neither extend nor release that of the next owner', async () => {
    const { store, pass } = await make();
    const late = await store.acquire('k', 100);
    await pass(150);
    const next = await store.acquire('k', 60_000);
    expect(next).toBeDefined();
    expect(await store.extend('k', late?.owner ?? '', 60_000)).toBe(false);
    expect(await store.release('k', late?.owner ?? '')).toBe(false);
    expect(await store.acquire('k', 60_000)).toBe(undefined);
    expect(await store.release('k', next?.owner ?? '')).toBe(true);
  });

  test.skipIf(skip)('a lock lives on from its last extension, and cannot be extended when it has ended', async () => {
    const { store, pass } = await make();
    const grant = await store.acquire('k', 200);
    await pass(100);
    expect(await store.extend('k', grant?.owner ?? '', 400)).toBe(true);
    await pass(200);
    expect(await store.acquire('k', 200)).toBe(undefined);
    await pass(300);
    expect(await store.extend('k', grant?.owner ?? '', 400)).toBe(false);
  });

  test.skipIf(skip)('tokens of a key grow, whether its lock was released or has ended', async () => {
    const { store, pass } = await make();
    const tokens: bigint[] = [];
    for (const ends of [true, false, true, false]) {
      const grant = await store.acquire('k', ends ? 100 : 60_000);
      tokens.push(grant?.token ?? 0n);
      if (ends) await pass(150);
      else await store.release('k', grant?.owner ?? '');
    }
    expect(tokens).toEqual([...new Set(tokens)].sort((a, b) => (a < b ? -1 : 1)));
    expect(tokens).toHaveLength(4);
  });

  test.skipIf(skip)('a pool gives as many permits as it has, of leases that did not run out', async () => {
    const { store, pass } = await make();
    const [a, b] = [await store.takePermit('p', 2, 60_000), await store.takePermit('p', 2, 300)];
    expect([await store.takePermit('p', 2, 60_000), await store.permitsTaken('p')]).toEqual([undefined, 2]);
    expect(await store.takePermit('other', 1, 60_000)).toBeDefined();
    expect(await store.returnPermit('p', a ?? '')).toBe(true);
    expect(await store.returnPermit('p', a ?? '')).toBe(false);
    expect(await store.permitsTaken('p')).toBe(1);
    await pass(100);
    expect(await store.extendPermit('p', b ?? '', 400)).toBe(true);
    await pass(300);
    expect(await store.permitsTaken('p')).toBe(1);
    await pass(200);
    expect(await store.permitsTaken('p')).toBe(0);
    expect(await store.extendPermit('p', b ?? '', 60_000)).toBe(false);
    expect(await store.returnPermit('p', b ?? '')).toBe(false);
  });

  test.skipIf(skip)('a sequence only rises, beyond what a double holds too', async () => {
    const { store } = await make();
    const raise = (value: bigint) => store.raiseSequence('k', value, undefined);
    expect(await store.sequence('k')).toBe(undefined);
    expect([await raise(-9n), await raise(-10n), await raise(-2n), await raise(-2n), await raise(0n)]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ]);
    const big = 9_223_372_036_854_775_806n;
    expect([await raise(10n), await raise(9n), await raise(big), await raise(big - 1n), await raise(big + 1n)]).toEqual(
      [true, false, true, false, true],
    );
    expect([await store.sequence('k'), await store.sequence('other')]).toEqual([big + 1n, undefined]);
  });

  test.skipIf(skip)('a sequence is remembered for its time after the last raise', async () => {
    const { store, pass } = await make();
    await store.raiseSequence('k', 1n, 200);
    await pass(100);
    await store.raiseSequence('k', 2n, 400);
    await pass(200);
    expect(await store.raiseSequence('k', 2n, 60_000)).toBe(false);
    expect(await store.sequence('k')).toBe(2n);
    await pass(300);
    expect(await store.sequence('k')).toBe(undefined);
  });

  test.skipIf(skip)('a signal wakes everybody who waits for it and stays for its time', async () => {
    const { store, pass } = await make();
    const woken: string[] = [];
    const leave = await store.onSignal('k', () => woken.push('a'));
    await store.onSignal('k', () => woken.push('b'));
    await store.onSignal('other', () => woken.push('other'));
    expect(await store.signalled('k')).toBe(false);
    await store.signal('k', 300);
    await expect.poll(() => [...woken].sort()).toEqual(['a', 'b']);
    leave();
    leave();
    await store.signal('k', 300);
    await expect.poll(() => [...woken].sort()).toEqual(['a', 'b', 'b']);
    expect(await store.signalled('k')).toBe(true);
    await pass(400);
    expect(await store.signalled('k')).toBe(false);
  });
});

test('the memory store forgets what has run out without being asked', async () => {
  const clock = new ManualClock();
  const store = new MemorySyncStore(clock);
  await store.open();
  await store.open();
  expect(clock.sleeping).toBe(1);
  store.acquire('k', 500);
  store.takePermit('p', 1, 500);
  store.signal('k', 500);
  store.raiseSequence('k', 1n, 500);
  await clock.pass(1_000);
  expect(store.size).toBe(1);
  for (let second = 0; second < 60; second++) await clock.pass(1_000);
  expect(store.size).toBe(0);
  await store.close();
  expect(clock.sleeping).toBe(0);
});
