import { expect, test } from 'vitest';
import { MemoryStorage } from '../connectors/cache/memory/storage.ts';
import { ManualClock } from '../service/testing/manual-clock.ts';
import { Reservations } from './reservation.ts';

function store() {
  const clock = new ManualClock();
  const storage = new MemoryStorage({ eviction: 'lru', maxItems: 10, defaultTtl: undefined, prefix: undefined }, clock);
  return { clock, storage, mine: new Reservations(storage, clock), other: new Reservations(storage, clock) };
}

test('a key is taken once, at once where the store needs no time, and free when it is released', () => {
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

test('it is renewed as long as it is held, and ends by itself when nobody renews it', async () => {
  const { mine, other, clock, storage } = store();
  const held = mine.of('k', '1');
  held.take();
  for (let passed = 0; passed < 10; passed++) await clock.pass(10_000);
  expect([held.isHeld, storage.get('k'), clock.sleeping]).toEqual([true, '1', 1]);
  held.end();
  // Nobody waits for the next time.
  expect(clock.sleeping).toBe(0);
  await clock.pass(29_999);
  expect([other.of('k', '2').take(), clock.sleeping]).toEqual([false, 0]);
  await clock.pass(1);
  expect(other.of('k', '2').take()).toBe(true);
});

test('one that the store lost is held no more', async () => {
  const { mine, clock, storage } = store();
  const held = mine.of('k', '1');
  held.take();
  storage.set('k', 'of somebody else', undefined);
  await clock.pass(10_000);
  expect([held.isHeld, storage.get('k'), clock.sleeping]).toEqual([false, 'of somebody else', 0]);
  held.release();
  expect(storage.get('k')).toBe('of somebody else');
});

test('a store that is away for a moment loses nothing; away for longer, the key may be anybody’s', async () => {
  const { clock, storage } = store();
  let isAway = false;
  const shaky = new Proxy(storage, {
    get: (target, name) =>
      name === 'replace' || name === 'deleteIf'
        ? async (...given: Parameters<typeof storage.replace>) => {
            if (isAway) throw new Error('away');
            return name === 'replace' ? target.replace(...given) : target.deleteIf(given[0], given[1]);
          }
        : Reflect.get(target, name).bind?.(target),
  });
  const held = new Reservations(shaky, clock).of('k', '1');
  held.take();
  isAway = true;
  await clock.pass(10_000);
  isAway = false;
  await clock.pass(10_000);
  expect(held.isHeld).toBe(true);
  isAway = true;
  for (let passed = 0; passed < 3; passed++) await clock.pass(10_000);
  expect([held.isHeld, clock.sleeping]).toEqual([false, 0]);
  held.release();
});
