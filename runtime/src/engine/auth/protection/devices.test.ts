import { describe, expect, test } from 'vitest';
import { TestClock } from '../../../tools/harness/clock.ts';
import type { Client } from '../client.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { DeviceBinding } from './devices.ts';
import { accountOf } from './testing/account.ts';

const laptop: Client = { ip: '192.0.2.7', userAgent: 'laptop', deviceId: 'app-7' };
const hour = 3_600_000;

async function devicesOf(own: Partial<ConstructorParameters<typeof DeviceBinding>[0]> = {}) {
  const clock = new TestClock(1_900_000_000_000);
  const store = new MemoryAccountStore();
  const ana = accountOf('ana');
  await store.create(ana);
  const settings = {
    fingerprint: ['user_agent'],
    trust_duration: 10 * hour,
    max_devices: 3,
    on_new_device: 'block',
    ...own,
  } as const;
  const binding = new DeviceBinding(settings, store, clock);
  const judge = (client: Partial<Client>) => binding.judge(ana, { ...laptop, ...client });
  const accept = (client: Partial<Client>) => binding.accept(ana, { ...laptop, ...client });
  return { clock, store, ana, binding, judge, accept };
}

const isNew = { action: 'block', details: { device: expect.stringMatching(/^[0-9a-f]{64}$/) } };

describe('a device', () => {
  test('is new until a sign-in with it succeeded, the first one of an account too', async () => {
    const { judge, accept } = await devicesOf();
    expect(await judge({})).toEqual(isNew);
    expect(await judge({})).toEqual(isNew);
    await accept({});
    expect(await judge({})).toBe(undefined);
    expect(await judge({ userAgent: 'phone' })).toEqual(isNew);
  });

  test.each(['allow', 'notify', 'challenge', 'block'] as const)('R-29: on_new_device = "%s"', async (on_new_device) => {
    const { judge } = await devicesOf({ on_new_device });
    expect(await judge({})).toMatchObject({ action: on_new_device });
  });

  test('R-29: is forgotten trust_duration after its last use', async () => {
    const { clock, judge, accept } = await devicesOf();
    await accept({});
    await clock.sleep(9 * hour);
    expect(await judge({})).toBe(undefined);
    await accept({});
    await clock.sleep(9 * hour);
    expect(await judge({})).toBe(undefined);
    await clock.sleep(hour);
    expect(await judge({})).toEqual(isNew);
  });

  test('R-29: is one of max_devices: the one unused longest is forgotten', async () => {
    const { clock, judge, accept } = await devicesOf({ max_devices: 2 });
    for (const userAgent of ['one', 'two', 'one', 'three']) {
      await accept({ userAgent });
      await clock.sleep(1_000);
    }
    const judged = await Promise.all(['one', 'two', 'three'].map((userAgent) => judge({ userAgent })));
    expect(judged.map((finding) => finding === undefined)).toEqual([true, false, true]);
  });

  test('is of its account', async () => {
    const { store, binding, accept } = await devicesOf();
    await store.create(accountOf('bob'));
    await accept({});
    expect(await binding.judge(accountOf('bob'), laptop)).toEqual(isNew);
  });
});

describe('R-29: a device is known by', () => {
  test.each<[('user_agent' | 'ip' | 'device_id')[], Partial<Client>, boolean]>([
    [['user_agent'], { ip: '198.51.100.1', deviceId: 'other' }, true],
    [['user_agent'], { userAgent: 'phone' }, false],
    [['ip'], { ip: '192.0.2.250', userAgent: 'phone' }, true],
    [['ip'], { ip: '192.0.3.7' }, false],
    [['device_id'], { ip: '198.51.100.1', userAgent: 'phone' }, true],
    [['device_id'], { deviceId: 'app-8' }, false],
    [['device_id', 'user_agent'], { userAgent: 'phone' }, false],
    [['device_id', 'user_agent'], { deviceId: undefined }, false],
  ])('%j: %j', async (fingerprint, client, known) => {
    const { judge, accept } = await devicesOf({ fingerprint });
    await accept({});
    expect((await judge(client)) === undefined).toBe(known);
  });

  test('the network of an address of IPv6', async () => {
    const { judge, accept } = await devicesOf({ fingerprint: ['ip'] });
    await accept({ ip: '2001:db8::1' });
    expect(await judge({ ip: '2001:db8::ffff:1' })).toBe(undefined);
    expect(await judge({ ip: '2001:db8:0:1::1' })).toEqual(isNew);
  });

  test('parts of which none can be taken for another one', async () => {
    const { judge, accept } = await devicesOf({ fingerprint: ['user_agent', 'device_id'] });
    await accept({ userAgent: 'a"],["device_id","b', deviceId: '' });
    expect(await judge({ userAgent: 'a', deviceId: 'b' })).toEqual(isNew);
  });

  test('the same parts in any order', async () => {
    const { clock, store, ana, accept } = await devicesOf({ fingerprint: ['user_agent', 'ip'] });
    await accept({});
    const settings = { trust_duration: hour, max_devices: 3, on_new_device: 'block' } as const;
    const other = new DeviceBinding({ ...settings, fingerprint: ['ip', 'user_agent', 'ip'] }, store, clock);
    expect(await other.judge(ana, laptop)).toBe(undefined);
  });
});

test.each<[('user_agent' | 'ip' | 'device_id')[], Partial<Client>]>([
  [['user_agent'], { userAgent: '' }],
  [['device_id'], { deviceId: undefined }],
  [['user_agent', 'device_id'], { userAgent: '', deviceId: '' }],
])('S-35: a request with nothing of %j is let through, and nothing is remembered', async (fingerprint, client) => {
  const { judge, accept } = await devicesOf({ fingerprint });
  expect(await judge(client)).toBe(undefined);
  await accept(client);
  expect(await judge({})).toEqual(isNew);
});

test('S-35: nothing wider: an address alone is enough to be judged by', async () => {
  const { judge } = await devicesOf({ fingerprint: ['user_agent', 'ip', 'device_id'] });
  expect(await judge({ userAgent: '', deviceId: undefined })).toEqual(isNew);
});
