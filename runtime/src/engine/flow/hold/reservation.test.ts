import { expect, test } from 'vitest';
import { MemoryStorage } from '../../../platform/sync/memory/storage.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import { Reservations } from './reservation.ts';

function store() {
  const clock = new ManualClock();
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 10, defaultTtl: undefined }, clock);
  return { clock, storage, mine: new Reservations(storage, clock), other: new Reservations(storage, clock) };
}

test('a key is taken once, synchronously when the store is, and free when it is released', () => {
  const { mine, other, storage } = store();
  const [first, second] = [mine.of('k', '1'), other.of('k', '2')];
  expect([first.isHeld, first.take(), first.isHeld, second.take(), second.isHeld]).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
  second.release();
  expect(storage.get('k')).toBe('1');
  first.release();
  expect([second.take(), storage.get('k')]).toEqual([true, '2']);
});

test('it is renewed as long as it is held, and expires when it is no longer renewed', async () => {
  const { mine, other, clock, storage } = store();
  const held = mine.of('k', '1');
  held.take();
  for (let passed = 0; passed < 10; passed++) await clock.pass(10_000);
  expect([held.isHeld, storage.get('k'), clock.sleeping]).toEqual([true, '1', 1]);
  held.end();
  // No timer is left.
  expect(clock.sleeping).toBe(0);
  await clock.pass(29_999);
  expect([other.of('k', '2').take(), clock.sleeping]).toEqual([false, 0]);
  await clock.pass(1);
  expect(other.of('k', '2').take()).toBe(true);
});

test('one that the store lost is no longer held', async () => {
  const { mine, clock, storage } = store();
  const held = mine.of('k', '1');
  held.take();
  storage.set('k', 'of another owner', undefined);
  await clock.pass(10_000);
  expect([held.isHeld, storage.get('k'), clock.sleeping]).toEqual([false, 'of another owner', 0]);
  held.release();
  expect(storage.get('k')).toBe('of another owner');
});

test('a store that is unavailable for a moment loses nothing; after a longer time another owner may have the key', async () => {
  const { clock, storage } = store();
  let isUnavailable = false;
  const shaky = new Proxy(storage, {
    get: (target, name) =>
      name === 'replace' || name === 'deleteIf'
        ? async (...given: Parameters<typeof storage.replace>) => {
            if (isUnavailable) throw new Error('away');
            return name === 'replace' ? target.replace(...given) : target.deleteIf(given[0], given[1]);
          }
        : Reflect.get(target, name).bind?.(target),
  });
  const held = new Reservations(shaky, clock).of('k', '1');
  held.take();
  isUnavailable = true;
  await clock.pass(10_000);
  isUnavailable = false;
  await clock.pass(10_000);
  expect(held.isHeld).toBe(true);
  isUnavailable = true;
  for (let passed = 0; passed < 3; passed++) await clock.pass(10_000);
  expect([held.isHeld, clock.sleeping]).toEqual([false, 0]);
  held.release();
});
