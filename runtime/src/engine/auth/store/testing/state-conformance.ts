import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionConformance } from './session-conformance.ts';
import { digest, type StateSubject, ticketOf, together, unique } from './state-subject.ts';

const policy = { max: 5, window: 60_000, lockout: 60_000 };

/** What every store of state does; times are seconds, so that what shall last does so on the busiest machine. */
export function stateConformance(make: () => Promise<StateSubject>): void {
  let subject: StateSubject;
  beforeEach(async () => {
    subject = await make();
  });
  afterEach(() => subject.close());

  sessionConformance(make);

  describe('tries', () => {
    let key: string;
    beforeEach(() => {
      key = unique('203.0.113.9:ana@example.test');
    });
    const fail = async (times: number, asked = policy) => {
      const answers: boolean[] = [];
      for (let index = 0; index < times; index++) {
        await subject.store.attempts.attempt(key, asked);
        answers.push(await subject.store.attempts.failed(key, asked));
      }
      return answers;
    };

    test('the last of the most locks, and the lock says when it ends', async () => {
      const { attempts } = subject.store;
      expect(await fail(4)).toEqual([false, false, false, false]);
      expect(await subject.another.attempts.attempt(key, policy)).toEqual({ allowed: true, failures: 4 });
      expect(await subject.another.attempts.failed(key, policy)).toBe(true);
      const locked = await attempts.attempt(key, policy);
      expect(locked).toEqual({ allowed: false, locked: true, retryAfter: expect.any(Number) });
      const { retryAfter } = locked as { readonly retryAfter: number };
      expect(retryAfter).toBeGreaterThan(50_000);
      expect(retryAfter).toBeLessThanOrEqual(60_000);
      expect(await attempts.attempt(unique('other'), policy)).toEqual({ allowed: true, failures: 0 });
    });

    test('S-23: of many at once no more are looked at than may fail', async () => {
      const stores = [subject.store, subject.another];
      const answers = await together(50, stores, ({ attempts }) => attempts.attempt(key, policy));
      const refused = answers.filter((answer) => !answer.allowed);
      expect(answers.filter(({ allowed }) => allowed)).toEqual(Array(5).fill({ allowed: true, failures: 0 }));
      expect(refused).toHaveLength(45);
      for (const answer of refused) expect(answer).toMatchObject({ locked: false, retryAfter: expect.any(Number) });
      const failed = await together(5, stores, ({ attempts }) => attempts.failed(key, policy));
      expect(failed.filter(Boolean)).toHaveLength(1);
      expect(await subject.store.attempts.attempt(key, policy)).toMatchObject({ locked: true });
    });

    test('after a lock nothing is counted of what was before it', async () => {
      const short = { max: 3, window: 6_000_000, lockout: 30_000 };
      expect(await fail(3, short)).toEqual([false, false, true]);
      // A try that was under way when the lock began.
      expect(await subject.store.attempts.failed(key, short)).toBe(false);
      await subject.pass(35_000);
      expect(await subject.store.attempts.attempt(key, short)).toEqual({ allowed: true, failures: 0 });
    });

    test('the window begins with the first try and does not slide', async () => {
      const short = { max: 3, window: 40_000, lockout: 6_000_000 };
      await fail(1, short);
      await subject.pass(25_000);
      await fail(1, short);
      await subject.pass(20_000);
      expect(await subject.store.attempts.attempt(key, short)).toEqual({ allowed: true, failures: 0 });
    });

    test('a right credential clears everything, a lock too', async () => {
      await fail(3);
      await subject.store.attempts.attempt(key, policy);
      await subject.store.attempts.succeeded(key);
      expect(await subject.store.attempts.attempt(key, policy)).toEqual({ allowed: true, failures: 0 });
      await fail(5);
      await subject.another.attempts.succeeded(key);
      expect(await subject.store.attempts.attempt(key, policy)).toEqual({ allowed: true, failures: 0 });
    });

    test('what was not looked at does not count, and gives back no failure', async () => {
      const { attempts } = subject.store;
      for (let index = 0; index < 20; index++) {
        expect(await attempts.attempt(key, policy)).toEqual({ allowed: true, failures: 0 });
        await attempts.withdrawn(key);
      }
      await fail(4);
      for (let index = 0; index < 9; index++) await attempts.withdrawn(key);
      expect(await attempts.attempt(key, policy)).toEqual({ allowed: true, failures: 4 });
      expect(await attempts.attempt(key, policy)).toMatchObject({ allowed: false, locked: false });
    });

    test('a try that never ends counts', async () => {
      for (let index = 0; index < 5; index++) await subject.store.attempts.attempt(key, policy);
      const answer = await subject.another.attempts.attempt(key, policy);
      expect(answer).toEqual({ allowed: false, locked: false, retryAfter: 1_000 });
    });

    test('a failure whose count has ended begins another one', async () => {
      const short = { max: 2, window: 20_000, lockout: 6_000_000 };
      await subject.store.attempts.attempt(key, short);
      await subject.pass(25_000);
      expect(await subject.store.attempts.failed(key, short)).toBe(false);
      expect(await subject.store.attempts.failed(key, short)).toBe(true);
    });
  });

  describe('tickets', () => {
    test('S-25: one is taken once, of many who ask at once', async () => {
      const ticket = ticketOf(unique('user'), unique('secret'), { data: { a: [1, 'ÿ', null], b: { c: true } } });
      const { tickets } = subject.store;
      await tickets.issue(ticket, 60_000, false);
      expect(await subject.another.tickets.peek('reset', ticket.digest)).toEqual(ticket);
      const stores = [subject.store, subject.another];
      const taken = await together(20, stores, (store) => store.tickets.take('reset', ticket.digest));
      expect(taken.filter((each) => each !== undefined)).toEqual([ticket]);
      expect(await tickets.peek('reset', ticket.digest)).toBe(undefined);
    });

    test('S-25: one ends with its time', async () => {
      const ticket = ticketOf(unique('user'), unique('secret'));
      const { tickets } = subject.store;
      await tickets.issue(ticket, 20_000, false);
      await subject.pass(25_000);
      expect(await tickets.peek('reset', ticket.digest)).toBe(undefined);
      expect(await tickets.take('reset', ticket.digest)).toBe(undefined);
    });

    test('one of another kind is not found', async () => {
      const ticket = ticketOf(unique('user'), unique('secret'));
      const { tickets } = subject.store;
      await tickets.issue(ticket, 60_000, false);
      expect(await tickets.peek('challenge', ticket.digest)).toBe(undefined);
      expect(await tickets.take('challenge', ticket.digest)).toBe(undefined);
      expect(await tickets.take('reset', digest('another'))).toBe(undefined);
      expect(await tickets.take('reset', ticket.digest)).toEqual(ticket);
    });

    test('S-25: one that is alone ends the others of its kind and owner', async () => {
      const owner = unique('user');
      const [first, second, third] = [1, 2, 3].map(() => ticketOf(owner, unique('secret')));
      const other = ticketOf(unique('other'), unique('secret'));
      const challenge = ticketOf(owner, unique('secret'), { kind: 'challenge' });
      const { tickets } = subject.store;
      for (const each of [first!, second!, other, challenge]) await tickets.issue(each, 60_000, false);
      await subject.another.tickets.issue(third!, 60_000, true);
      const left = [first!, second!, third!, other].map(({ digest: of }) => tickets.peek('reset', of));
      expect(await Promise.all(left)).toEqual([undefined, undefined, third, other]);
      expect(await tickets.peek('challenge', challenge.digest)).toEqual(challenge);
    });

    test('S-25: all of a kind and owner end', async () => {
      const owner = unique('user');
      const [first, second] = [ticketOf(owner, unique('secret')), ticketOf(owner, unique('secret'))];
      const challenge = ticketOf(owner, unique('secret'), { kind: 'challenge' });
      const { tickets } = subject.store;
      for (const each of [first, second, challenge]) await tickets.issue(each, 60_000, false);
      await subject.another.tickets.dropAll('reset', owner);
      expect(await tickets.take('reset', first.digest)).toBe(undefined);
      expect(await tickets.take('reset', second.digest)).toBe(undefined);
      expect(await tickets.take('challenge', challenge.digest)).toEqual(challenge);
    });

    test('an owner has a hundred of a kind, and the oldest ends for one more', async () => {
      const owner = unique('user');
      const all = Array.from({ length: 101 }, () => ticketOf(owner, unique('secret')));
      const { tickets } = subject.store;
      for (const each of all) await tickets.issue(each, 60_000, false);
      expect(await tickets.peek('reset', all[0]!.digest)).toBe(undefined);
      expect(await tickets.peek('reset', all[1]!.digest)).toEqual(all[1]);
      expect(await tickets.peek('reset', all[100]!.digest)).toEqual(all[100]);
    });

    test('what cannot be kept is refused', async () => {
      const { tickets } = subject.store;
      const owner = unique('user');
      const large = ticketOf(owner, unique('secret'), { data: { text: 'x'.repeat(16 * 1_024) } });
      await expect(tickets.issue(large, 60_000, false)).rejects.toMatchObject({ code: 'internal' });
      const clear = ticketOf(owner, unique('secret'), { digest: 'the secret itself' });
      await expect(tickets.issue(clear, 60_000, false)).rejects.toMatchObject({ code: 'internal' });
      const other = ticketOf(owner, unique('secret'), { kind: 'session:user' });
      await expect(tickets.issue(other, 60_000, false)).rejects.toMatchObject({ code: 'internal' });
    });
  });

  describe('buckets', () => {
    test('no more than the burst pass at once, in all processes together', async () => {
      const key = unique('login');
      const stores = [subject.store, subject.another];
      const answers = await together(20, stores, (store) => store.takeToken(key, 0.01, 3));
      expect(answers.filter(({ allowed }) => allowed)).toHaveLength(3);
      const refused = await subject.store.takeToken(key, 0.01, 3);
      expect(refused).toEqual({ allowed: false, remaining: 0, retryAfter: expect.any(Number) });
      expect(refused.retryAfter).toBeGreaterThan(80_000);
      expect((await subject.store.takeToken(unique('other'), 0.01, 3)).allowed).toBe(true);
    });

    test('a bucket fills again with time', async () => {
      const key = unique('login');
      expect((await subject.store.takeToken(key, 0.05, 1)).allowed).toBe(true);
      expect((await subject.store.takeToken(key, 0.05, 1)).allowed).toBe(false);
      await subject.pass(25_000);
      expect((await subject.store.takeToken(key, 0.05, 1)).allowed).toBe(true);
    });
  });
}
