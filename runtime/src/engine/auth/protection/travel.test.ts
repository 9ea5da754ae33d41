import { describe, expect, test } from 'vitest';
import { TestClock } from '../../../tools/harness/clock.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import type { Place } from './geolocation.ts';
import { accountOf } from './testing/account.ts';
import { distance, ImpossibleTravel } from './travel.ts';

const places: Readonly<Record<string, Place>> = {
  rome: { latitude: 41.9, longitude: 12.5, accuracy: 0, label: 'Rome, Italy' },
  ostia: { latitude: 41.73, longitude: 12.28, accuracy: undefined, label: 'Ostia, Italy' },
  province: { latitude: 41.9, longitude: 12.5, accuracy: undefined, label: 'Lazio, Italy' },
  naples: { latitude: 40.85, longitude: 14.27, accuracy: 0, label: 'Naples, Italy' },
  sydney: { latitude: -33.87, longitude: 151.21, accuracy: 0, label: 'Sydney, Australia' },
};
const hour = 3_600_000;

async function travelOf(own: Partial<ConstructorParameters<typeof ImpossibleTravel>[0]> = {}) {
  const clock = new TestClock(1_900_000_000_000);
  const store = new MemoryAccountStore();
  const account = accountOf('ana');
  await store.create(account);
  const asked: string[] = [];
  const find = async (ip: string) => {
    asked.push(ip);
    return places[ip];
  };
  const settings = { max_speed_kmh: 900, min_distance_km: 100, on_detect: 'block', ...own } as const;
  const travel = new ImpossibleTravel(settings, { find }, store, clock);
  const judge = (ip: string) => travel.judge(account, { ip });
  const accept = (ip: string) => travel.accept(account, { ip });
  return { clock, store, account, travel, asked, judge, accept };
}

test('distances are those over the ground', () => {
  expect(Math.round(distance(places['rome']!, places['naples']!))).toBe(188);
  expect(Math.round(distance(places['rome']!, places['sydney']!))).toBe(16_321);
  expect(distance(places['rome']!, places['rome']!)).toBe(0);
  expect(Math.round(distance({ latitude: 0, longitude: 0 }, { latitude: 0, longitude: 180 }))).toBe(20_015);
  expect(Math.round(distance({ latitude: 0, longitude: 179.5 }, { latitude: 0, longitude: -179.5 }))).toBe(111);
});

describe('a sign-in', () => {
  test('that is too far from the one before it is noticed', async () => {
    const { clock, judge, accept } = await travelOf();
    await accept('rome');
    await clock.sleep(2 * hour);
    expect(await judge('sydney')).toEqual({
      action: 'block',
      details: { from: 'Rome, Italy', to: 'Sydney, Australia', km: 16_321, km_per_hour: 8_160 },
    });
  });

  test('R-29: may be as fast as max_speed_kmh', async () => {
    for (const [max_speed_kmh, noticed] of [
      [187, true],
      [189, false],
    ] as const) {
      const { clock, judge, accept } = await travelOf({ max_speed_kmh });
      await accept('rome');
      await clock.sleep(hour);
      expect((await judge('naples')) !== undefined).toBe(noticed);
    }
  });

  test('within the accuracy of both places, or below min_distance_km, is not noticed', async () => {
    const noticed = async (from: string, to: string, own: object = {}) => {
      const { judge, accept } = await travelOf(own);
      await accept(from);
      return (await judge(to)) !== undefined;
    };
    const near = { max_speed_kmh: 1 };
    // 26 km, at the same moment.
    expect(await noticed('rome', 'ostia', near)).toBe(false);
    expect(await noticed('rome', 'ostia', { ...near, min_distance_km: 0 })).toBe(false);
    // 188 km: each of them that says nothing is 50 km around.
    expect(await noticed('province', 'naples', near)).toBe(true);
    expect(await noticed('rome', 'naples', { ...near, min_distance_km: 187 })).toBe(true);
    expect(await noticed('rome', 'naples', { ...near, min_distance_km: 189 })).toBe(false);
  });

  test('is judged by what remains of its distance', async () => {
    for (const [max_speed_kmh, isNoticed] of [
      [137, true],
      [139, false],
    ] as const) {
      const { clock, judge, accept } = await travelOf({ max_speed_kmh });
      await accept('province');
      await clock.sleep(hour);
      expect((await judge('naples')) !== undefined).toBe(isNoticed);
    }
  });

  test('may come from anywhere in a place as wide as its database says', async () => {
    const { judge, accept, store, account } = await travelOf({ max_speed_kmh: 1 });
    await accept('naples');
    await store.keepPosition(account.id, { ...places['naples']!, accuracy: 189, at: 1_900_000_000_000 });
    expect(await judge('rome')).toBe(undefined);
  });

  test.each(['notify', 'challenge', 'block'] as const)('R-29: on_detect = "%s"', async (on_detect) => {
    const { judge, accept } = await travelOf({ on_detect });
    await accept('rome');
    expect(await judge('sydney')).toMatchObject({ action: on_detect });
  });

  test('S-35: that was refused moves nothing: a second try from there is refused too', async () => {
    const { clock, judge, accept, store, account } = await travelOf();
    await accept('rome');
    await clock.sleep(hour);
    for (let at = 0; at < 3; at++) expect(await judge('sydney')).toMatchObject({ action: 'block' });
    expect(await store.position(account.id)).toMatchObject({ label: 'Rome, Italy' });
    expect(await judge('rome')).toBe(undefined);
  });

  test('S-35: that is the first one, or has no place, is not judged, and changes no place', async () => {
    const { judge, accept, store, account } = await travelOf();
    expect(await judge('sydney')).toBe(undefined);
    await accept('nowhere');
    expect(await store.position(account.id)).toBe(undefined);
    await accept('rome');
    expect(await judge('nowhere')).toBe(undefined);
    await accept('nowhere');
    expect(await judge('sydney')).toMatchObject({ action: 'block' });
  });

  test('at the same moment, or before the last one by a clock that was set back, is noticed all the same', async () => {
    const { judge, accept, store, account } = await travelOf();
    await accept('rome');
    expect(await judge('rome')).toBe(undefined);
    expect(await judge('naples')).toMatchObject({ details: { km_per_hour: Number.MAX_SAFE_INTEGER } });
    await store.keepPosition(account.id, { ...places['rome']!, at: 1_900_000_000_000 + hour });
    expect(await judge('naples')).toMatchObject({ details: { km_per_hour: Number.MAX_SAFE_INTEGER } });
  });

  test('asks for its place once', async () => {
    const { account, asked, travel } = await travelOf();
    const client = { ip: 'rome' };
    await travel.judge(account, client);
    await travel.accept(account, client);
    expect(asked).toEqual(['rome']);
  });

  test('is judged by its own account', async () => {
    const { store, accept, travel } = await travelOf();
    await store.create(accountOf('bob'));
    await accept('rome');
    expect(await travel.judge(accountOf('bob'), { ip: 'sydney' })).toBe(undefined);
  });
});
