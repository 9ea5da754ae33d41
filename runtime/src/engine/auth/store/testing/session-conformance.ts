import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RotationRequest, Session } from '../sessions.ts';
import { at, long, many, type StateSubject, sessionOf, together, unique } from './state-subject.ts';

/** What every store of sessions does. */
export function sessionConformance(make: () => Promise<StateSubject>): void {
  let subject: StateSubject;
  let user: string;
  beforeEach(async () => {
    subject = await make();
    user = unique('user');
  });
  afterEach(() => subject.close());
  const begun = async (over: Partial<Session> = {}, life = long) => {
    const session = sessionOf(user, over);
    expect(await subject.store.sessions.begin(session, life, many, '')).toEqual({ ended: [] });
    return session;
  };
  const rotation = (from: string, over: Partial<RotationRequest> = {}): RotationRequest => ({
    from,
    to: unique('to'),
    client: 'client',
    leeway: 0,
    at: at + 5,
    ...over,
  });

  describe('sessions', () => {
    test('what is kept comes back whole, in every process', async () => {
      const whole = await begun({ facts: { passwordExpiresAt: at + 7 } });
      const bare = await begun({ ip: undefined, userAgent: undefined });
      for (const { sessions } of [subject.store, subject.another]) {
        expect([await sessions.find(whole.id), await sessions.find(bare.id)]).toEqual([whole, bare]);
        expect(await sessions.of(user)).toEqual([whole, bare]);
      }
      expect(await subject.store.sessions.find(unique('none'))).toBe(undefined);
      expect(await subject.store.sessions.of(unique('unknown'))).toEqual([]);
    });

    test('one that is not used ends with its idle time, and every use begins that again', async () => {
      const { sessions } = subject.store;
      const life = { absolute: 6_000_000, idle: 40_000, extends: true };
      const [used, unused] = [await begun({}, life), await begun({}, life)];
      await subject.pass(25_000);
      const noted = { ...used, lastActiveAt: at + 25_000 };
      expect(await sessions.use(used.id, at + 25_000, 10_000)).toEqual(noted);
      await subject.pass(25_000);
      expect(await sessions.find(used.id)).toEqual(noted);
      expect(await sessions.find(unused.id)).toBe(undefined);
      expect(await sessions.of(user)).toEqual([noted]);
      await subject.pass(25_000);
      expect([await sessions.use(used.id, at, 0), await sessions.find(used.id)]).toEqual([undefined, undefined]);
    });

    test('a use that is near the last one that was noted, by a clock that is behind too, changes nothing', async () => {
      const { sessions } = subject.store;
      const session = await begun({}, { absolute: 6_000_000, idle: 40_000, extends: true });
      await subject.pass(25_000);
      for (const away of [9_900, -9_900]) expect(await sessions.use(session.id, at + away, 10_000)).toEqual(session);
      await subject.pass(25_000);
      expect(await sessions.use(session.id, at + 10_000, 10_000)).toBe(undefined);
    });

    test('its absolute time ends it whatever is done with it', async () => {
      const { sessions } = subject.store;
      const session = await begun({}, { absolute: 40_000, idle: 30_000, extends: true });
      await subject.pass(20_000);
      expect(await sessions.use(session.id, at, 0)).toEqual(session);
      expect(await sessions.rotate(session.id, rotation(session.refreshId))).toBe('rotated');
      await subject.pass(25_000);
      expect(await sessions.find(session.id)).toBe(undefined);
    });

    test('one that is not extended ends one idle time after it began', async () => {
      const { sessions } = subject.store;
      const session = await begun({}, { absolute: 6_000_000, idle: 30_000, extends: false });
      await subject.pass(20_000);
      expect(await sessions.use(session.id, at + 1, 0)).toEqual({ ...session, lastActiveAt: at + 1 });
      await subject.pass(15_000);
      expect(await sessions.find(session.id)).toBe(undefined);
    });

    test('beyond the most, the oldest end or the new one is refused', async () => {
      const { sessions } = subject.store;
      const all = [await begun(), await begun(), await begun()];
      const fourth = sessionOf(user);
      expect(await sessions.begin(fourth, long, { most: 3, whenFull: 'reject_new' }, '')).toBe('full');
      expect(await sessions.find(fourth.id)).toBe(undefined);
      const ended = await sessions.begin(fourth, long, { most: 2, whenFull: 'revoke_oldest' }, '');
      expect(ended).toEqual({ ended: [all[0]?.id, all[1]?.id] });
      expect(await sessions.of(user)).toEqual([all[2], fourth]);
      const other = sessionOf(unique('other'));
      expect(await sessions.begin(other, long, { most: 1, whenFull: 'reject_new' }, '')).toEqual({ ended: [] });
    });

    test('sessions that have ended do not count', async () => {
      await begun({}, { absolute: 10_000, idle: 10_000, extends: true });
      await subject.pass(15_000);
      const next = sessionOf(user);
      const limit = { most: 1, whenFull: 'reject_new' } as const;
      expect(await subject.store.sessions.begin(next, long, limit, '')).toEqual({ ended: [] });
    });

    test('of many sign-ins at once no more get a session than there may be', async () => {
      const limit = { most: 3, whenFull: 'reject_new' } as const;
      const stores = [subject.store, subject.another];
      const answers = await together(30, stores, ({ sessions }) => sessions.begin(sessionOf(user), long, limit, ''));
      expect(answers.filter((answer) => answer !== 'full')).toHaveLength(3);
      const revoking = { most: 3, whenFull: 'revoke_oldest' } as const;
      const ended = await together(30, stores, ({ sessions }) => sessions.begin(sessionOf(user), long, revoking, ''));
      expect(new Set(ended.flatMap((answer) => (typeof answer === 'string' ? answer : answer.ended))).size).toBe(30);
      expect(await subject.store.sessions.of(user)).toHaveLength(3);
    });

    test('S-20: a session is ended by its person only', async () => {
      const { sessions } = subject.store;
      const session = await begun();
      expect(await sessions.end(session.id, unique('other'))).toBe(false);
      expect(await sessions.find(session.id)).toEqual(session);
      expect([await sessions.end(session.id, user), await sessions.end(session.id, user)]).toEqual([true, false]);
      expect([await subject.another.sessions.find(session.id), await sessions.of(user)]).toEqual([undefined, []]);
    });

    test('S-19: all sessions of a person end, in every process, but the one that is excepted', async () => {
      const [first, second, third] = [await begun(), await begun(), await begun()];
      const other = sessionOf(unique('other'));
      await subject.store.sessions.begin(other, long, many, '');
      expect(await subject.store.sessions.endAll(user, second.id)).toEqual([first.id, third.id]);
      expect(await subject.another.sessions.of(user)).toEqual([second]);
      expect(await subject.another.sessions.endAll(user)).toEqual([second.id]);
      expect(await subject.store.sessions.find(other.id)).toEqual(other);
      expect(await subject.store.sessions.endAll(user)).toEqual([]);
    });

    test('a session that was about to begin when all of its person ended does not begin', async () => {
      const { sessions } = subject.store;
      const before = await sessions.generation(user);
      expect(before).toBe('');
      const kept = await begun();
      await subject.another.sessions.endAll(user, kept.id);
      const late = sessionOf(user);
      expect(await sessions.begin(late, long, many, before)).toBe('outdated');
      expect([await sessions.find(late.id), await sessions.of(user)]).toEqual([undefined, [kept]]);
      const [here, elsewhere] = [await sessions.generation(user), await subject.another.sessions.generation(user)];
      expect([here === before, here === elsewhere]).toEqual([false, true]);
      expect(await sessions.begin(late, long, many, here)).toEqual({ ended: [] });
      await sessions.endAll(user);
      expect(await sessions.begin(sessionOf(user), long, many, here)).toBe('outdated');
      const other = sessionOf(unique('other'));
      expect(await sessions.begin(other, long, many, '')).toEqual({ ended: [] });
    });

    test('facts are replaced', async () => {
      const { sessions } = subject.store;
      const session = await begun({ facts: { passwordExpiresAt: at } });
      expect(await sessions.setFacts(session.id, {})).toBe(true);
      expect(await subject.another.sessions.find(session.id)).toEqual({ ...session, facts: {} });
      await sessions.end(session.id, user);
      expect(await sessions.setFacts(session.id, { passwordExpiresAt: at })).toBe(false);
      expect(await sessions.find(session.id)).toBe(undefined);
    });
  });

  describe('refresh tokens', () => {
    test('S-18: one is spent once, and the next is valid then', async () => {
      const { sessions } = subject.store;
      const session = await begun();
      const first = rotation(session.refreshId);
      expect(await sessions.rotate(session.id, first)).toBe('rotated');
      expect(await sessions.find(session.id)).toEqual({ ...session, refreshId: first.to, lastActiveAt: at + 5 });
      expect(await sessions.rotate(session.id, rotation(first.to))).toBe('rotated');
    });

    test('S-18: one that was spent ends the session', async () => {
      const { sessions } = subject.store;
      const session = await begun();
      await sessions.rotate(session.id, rotation(session.refreshId));
      expect(await subject.another.sessions.rotate(session.id, rotation(session.refreshId))).toBe('reused');
      expect([await sessions.find(session.id), await sessions.of(user)]).toEqual([undefined, []]);
      expect(await sessions.rotate(session.id, rotation(session.refreshId))).toBe('ended');
    });

    test('S-18: of many at once one is rotated, and the session ends', async () => {
      const session = await begun();
      const stores = [subject.store, subject.another];
      const answers = await together(20, stores, ({ sessions }) =>
        sessions.rotate(session.id, rotation(session.refreshId)),
      );
      const count = (wanted: string) => answers.filter((answer) => answer === wanted).length;
      expect([count('rotated'), count('reused'), count('ended')]).toEqual([1, 1, 18]);
      expect(await subject.store.sessions.find(session.id)).toBe(undefined);
    });

    test('within the leeway the client that spent it is forgiven, and the valid one stays', async () => {
      const { sessions } = subject.store;
      const session = await begun();
      const first = rotation(session.refreshId, { leeway: 60_000 });
      expect(await sessions.rotate(session.id, first)).toBe('rotated');
      expect(await sessions.rotate(session.id, rotation(session.refreshId, { leeway: 60_000, at: at + 9 }))).toBe(
        'forgiven',
      );
      expect(await sessions.find(session.id)).toEqual({ ...session, refreshId: first.to, lastActiveAt: at + 9 });
      const thief = rotation(session.refreshId, { leeway: 60_000, client: 'another' });
      expect(await sessions.rotate(session.id, thief)).toBe('reused');
      expect(await sessions.find(session.id)).toBe(undefined);
    });

    test('the leeway ends, and forgives the last token only', async () => {
      const { sessions } = subject.store;
      const [late, old] = [await begun(), await begun()];
      await sessions.rotate(late.id, rotation(late.refreshId, { leeway: 20_000 }));
      await subject.pass(30_000);
      expect(await sessions.rotate(late.id, rotation(late.refreshId, { leeway: 20_000 }))).toBe('reused');
      const first = rotation(old.refreshId, { leeway: 60_000 });
      await sessions.rotate(old.id, first);
      await sessions.rotate(old.id, rotation(first.to, { leeway: 60_000 }));
      expect(await sessions.rotate(old.id, rotation(old.refreshId, { leeway: 60_000 }))).toBe('reused');
    });

    test('a token of another session spends nothing', async () => {
      const { sessions } = subject.store;
      const [mine, other] = [await begun(), await begun()];
      expect(await sessions.rotate(mine.id, rotation(other.refreshId))).toBe('reused');
      expect(await sessions.find(other.id)).toEqual(other);
      expect(await sessions.rotate(unique('none'), rotation(other.refreshId))).toBe('ended');
    });

    test('what is presented is noted once, until its time is over', async () => {
      const key = unique('jti');
      const stores = [subject.store, subject.another];
      const first = await together(20, stores, ({ sessions }) => sessions.firstUse(key, 30_000));
      expect(first.filter(Boolean)).toHaveLength(1);
      expect(await subject.store.sessions.firstUse(unique('jti'), 30_000)).toBe(true);
      await subject.pass(35_000);
      expect(await subject.another.sessions.firstUse(key, 30_000)).toBe(true);
    });
  });
}
