import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, test } from 'vitest';
import { recordingLog } from '../../../../../../test/support/connector-services.ts';
import { addressOf } from '../../../../platform/net/redis/address.ts';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { AccountScope } from '../scope.ts';
import { type Former, formerVersion } from '../testing/former.ts';
import { redisStateOf } from '../testing/redis-state.ts';
import { at, long, many, sessionOf, ticketOf, unique } from '../testing/state-subject.ts';
import { RedisLayout } from './layout.ts';
import { RedisStateServer } from './server.ts';

const url = process.env['TEST_REDIS_URL'];
const never = new AbortController().signal;
const former = url === undefined ? undefined : await formerVersion();
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const day = 24 * 3_600_000;
const lifetime = 3_600_000;
const policy = { max: 1, window: 60_000, lockout: 60_000 };

/** Two processes of one service that the version before ran until now, and what the keys without a scope hold. */
async function upgraded() {
  const clock = new ManualClock();
  const scope = new AccountScope(randomUUID(), clock.now());
  const address = addressOf({ url, host: '', port: 0 });
  const server = new RedisStateServer('auth:redis', address, recordingLog());
  const [store, another] = [
    redisStateOf(url, { scope, clock, lifetime }),
    redisStateOf(url, { scope, clock, lifetime }),
  ];
  for (const each of [server, store, another]) {
    await each.open(never);
    cleanups.push(() => each.close());
  }
  const before = new RedisLayout(server.ask, () => 'svc:auth:');
  const scoped = new RedisLayout(server.ask, () => `svc:auth:${scope.id}:`);
  const user = unique('user');
  cleanups.push(
    () => before.sessions.endAll(user),
    () => scoped.sessions.endAll(user),
  );
  return { clock, store, another, before, scoped, user };
}

describe.skipIf(url === undefined)('keys of the version before scopes', () => {
  test('are read and written for a day, then read until nothing of before is left', async () => {
    const { clock, store, before, scoped, user } = await upgraded();
    const [old, first, second] = [sessionOf(user), sessionOf(user), sessionOf(user)];
    await before.sessions.begin(old, long, many, '');
    expect(await store.sessions.find(old.id)).toEqual(old);
    await store.sessions.begin(first, long, many, await store.sessions.generation(user));
    expect(await before.sessions.of(user)).toEqual([old, first]);
    clock.set(day);
    await store.sessions.begin(second, long, many, await store.sessions.generation(user));
    expect(await scoped.sessions.of(user)).toEqual([second]);
    expect(new Set((await store.sessions.of(user)).map(({ id }) => id))).toEqual(
      new Set([old.id, first.id, second.id]),
    );
    for (const each of [old, first, second]) {
      expect(await store.sessions.use(each.id, at + 1, 0)).toEqual({ ...each, lastActiveAt: at + 1 });
      const request = { from: each.refreshId, to: 'next', client: 'c', leeway: 0, at: at + 2 };
      expect(await store.sessions.rotate(each.id, request)).toBe('rotated');
      expect(await store.sessions.setFacts(each.id, { mfaAt: at })).toBe(true);
    }
    expect(await store.sessions.end(first.id, user)).toBe(true);
    expect(await store.sessions.find(first.id)).toBe(undefined);
    clock.set(lifetime);
    expect(await store.sessions.find(old.id)).toBe(undefined);
    expect((await store.sessions.of(user)).map(({ id }) => id)).toEqual([second.id]);
  });

  test('the end of all sessions of a person ends those of both layouts, and those that are about to begin', async () => {
    const { clock, store, another, before, user } = await upgraded();
    const old = sessionOf(user);
    await before.sessions.begin(old, long, many, '');
    const read = await store.sessions.generation(user);
    expect(await another.sessions.endAll(user)).toEqual([old.id]);
    expect(await store.sessions.begin(sessionOf(user), long, many, read)).toBe('outdated');
    // A sign-in that begins before the layout that is written changes, and ends after it.
    const late = await store.sessions.generation(user);
    await another.sessions.endAll(user);
    clock.set(day);
    expect(await store.sessions.begin(sessionOf(user), long, many, late)).toBe('outdated');
    const now = await store.sessions.generation(user);
    const session = sessionOf(user);
    expect(await store.sessions.begin(session, long, many, now)).toEqual({ ended: [] });
    clock.set(lifetime);
    expect(await store.sessions.begin(sessionOf(user), long, many, now)).toEqual({ ended: [] });
    expect(await another.sessions.endAll(user, session.id)).toHaveLength(1);
    expect(await store.sessions.begin(sessionOf(user), long, many, now)).toBe('outdated');
  });

  test('sessions of both layouts count together, and the oldest ones end first', async () => {
    const { clock, store, before, user } = await upgraded();
    const old = [sessionOf(user), sessionOf(user)] as const;
    for (const each of old) await before.sessions.begin(each, long, many, '');
    clock.set(day);
    const begin = (most: number, whenFull: 'revoke_oldest' | 'reject_new') =>
      store.sessions.begin(sessionOf(user), long, { most, whenFull }, '');
    expect(await begin(2, 'reject_new')).toBe('full');
    expect(await begin(3, 'reject_new')).toEqual({ ended: [] });
    expect(await begin(3, 'revoke_oldest')).toEqual({ ended: [old[0].id] });
    expect(await begin(2, 'revoke_oldest')).toMatchObject({ ended: [old[1].id, expect.any(String)] });
    expect(await store.sessions.of(user)).toHaveLength(2);
  });

  test('tickets, locks and tokens that were used hold across both', async () => {
    const { clock, store, another, before, scoped, user } = await upgraded();
    const [first, second, third] = [
      ticketOf(user, unique('1')),
      ticketOf(user, unique('2')),
      ticketOf(user, unique('3')),
    ];
    await before.tickets.issue(first, 60_000, true);
    expect(await store.tickets.peek('reset', first.digest)).toEqual(first);
    await store.tickets.issue(second, 60_000, true);
    expect(await before.tickets.peek('reset', first.digest)).toBe(undefined);
    expect(await before.tickets.peek('reset', second.digest)).toEqual(second);
    const [token, later] = [unique('token'), unique('token')];
    expect(await before.sessions.firstUse(token, 60_000)).toBe(true);
    expect(await store.sessions.firstUse(token, 60_000)).toBe(false);
    await store.attempts.failed(user, policy);
    expect((await before.attempts.attempt(user, policy)).allowed).toBe(false);
    clock.set(day);
    expect(await store.sessions.firstUse(token, 60_000)).toBe(false);
    const used = await Promise.all([store, another].map((each) => each.sessions.firstUse(later, 60_000)));
    expect(used.filter(Boolean)).toHaveLength(1);
    expect(await store.attempts.attempt(user, policy)).toMatchObject({ allowed: false, locked: true });
    await store.attempts.succeeded(user);
    expect((await store.attempts.attempt(user, policy)).allowed).toBe(true);
    await store.attempts.succeeded(user);
    const taken = await Promise.all([store, another].map((each) => each.tickets.take('reset', second.digest)));
    expect(taken.filter((ticket) => ticket !== undefined)).toEqual([second]);
    await before.tickets.issue(first, 60_000, true);
    await store.tickets.issue(third, 60_000, true);
    expect(await store.tickets.peek('reset', first.digest)).toBe(undefined);
    expect(await scoped.tickets.peek('reset', third.digest)).toEqual(third);
    await store.tickets.dropAll('reset', user);
    expect(await store.tickets.peek('reset', third.digest)).toBe(undefined);
  });

  test.skipIf(former === undefined)('the version before runs beside this one, and after it', async () => {
    const { store, user } = await upgraded();
    const old = (former as Former).state(addressOf({ url, host: '', port: 0 }), recordingLog());
    await old.open(never);
    cleanups.push(() => old.close());
    const [first, second] = [sessionOf(user), sessionOf(user)];
    await old.sessions.begin(first, long, many);
    await store.sessions.begin(second, long, many, await store.sessions.generation(user));
    for (const each of [old, store]) {
      expect(await each.sessions.of(user)).toEqual([first, second]);
      expect(await each.sessions.find(first.id)).toEqual(first);
      expect(await each.sessions.find(second.id)).toEqual(second);
    }
    const rotation = { from: second.refreshId, to: 'next', client: 'c', leeway: 0, at };
    expect(await old.sessions.rotate(second.id, rotation)).toBe('rotated');
    expect(await store.sessions.rotate(second.id, { ...rotation, client: 'd' })).toBe('reused');
    expect(await old.sessions.find(second.id)).toBe(undefined);
    const ticket = ticketOf(user, unique('secret'));
    await store.tickets.issue(ticket, 60_000, true);
    expect(await old.tickets.take('reset', ticket.digest)).toEqual(ticket);
    await old.attempts.failed(user, policy);
    expect((await store.attempts.attempt(user, policy)).allowed).toBe(false);
    await store.attempts.succeeded(user);
    expect((await old.attempts.attempt(user, policy)).allowed).toBe(true);
    await store.attempts.succeeded(user);
    expect(await store.sessions.endAll(user)).toEqual([first.id]);
    expect(await old.sessions.of(user)).toEqual([]);
  });
});
