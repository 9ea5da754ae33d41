import { expect, test } from 'vitest';
import { ManualClock } from '../../../../service/running/testing/manual-clock.ts';
import { accountOf } from '../testing/account-conformance.ts';
import { at, long, many, sessionOf, ticketOf } from '../testing/state-subject.ts';
import { MemoryAccountStore } from './accounts.ts';
import { MemoryAttemptStore } from './attempts.ts';
import { MemorySessionStore } from './sessions.ts';
import { MemoryStateStore } from './state.ts';
import { MemoryTicketStore } from './tickets.ts';

const policy = { max: 3, window: 60_000, lockout: 60_000 };

test('a session is found without a promise', async () => {
  const store = new MemorySessionStore(new ManualClock());
  const session = sessionOf('ana');
  await store.begin(session, long, many, '');
  expect([store.find(session.id), store.use(session.id, at, 0), store.find('none')]).toEqual([
    session,
    session,
    undefined,
  ]);
});

test('of too many sessions those that end first are ended, and no trace of them stays', async () => {
  const clock = new ManualClock();
  const store = new MemorySessionStore(clock, 100);
  const lasting = sessionOf('ana');
  await store.begin(lasting, { ...long, absolute: 600_000, idle: 600_000 }, many, '');
  const short = { ...long, idle: 1_000 };
  for (let index = 0; index < 1_000; index++) await store.begin(sessionOf(`user ${index}`), short, many, '');
  expect(store.size).toBeLessThanOrEqual(100);
  expect(store.find(lasting.id)).toEqual(lasting);
  expect(await store.of('user 0')).toEqual([]);
  expect(await store.of('user 999')).toHaveLength(1);
  await clock.pass(2_000);
  store.sweep(clock.elapsed());
  expect(store.size).toBe(1);
});

test('S-23: of too many counts of tries those with the fewest failures are forgotten; no lock is, and none that is under way', async () => {
  const clock = new ManualClock();
  const store = new MemoryAttemptStore(clock, 100);
  const fail = async (key: string, times: number) => {
    for (let at = 0; at < times; at++) {
      await store.attempt(key, policy);
      await store.failed(key, policy);
    }
  };
  await fail('locked', 3);
  await fail('nearly', 2);
  await store.attempt('under way', policy);
  for (let index = 0; index < 1_000; index++) await fail(`other ${index}`, 1);
  expect(store.size).toBeLessThanOrEqual(101);
  expect(await store.attempt('locked', policy)).toMatchObject({ allowed: false, locked: true });
  expect(await store.attempt('nearly', policy)).toEqual({ allowed: true, failures: 2 });
  expect(await store.attempt('other 0', policy)).toEqual({ allowed: true, failures: 0 });
  expect(await store.attempt('other 999', policy)).toEqual({ allowed: true, failures: 1 });
  await store.withdrawn('under way');
  expect(await store.attempt('under way', policy)).toEqual({ allowed: true, failures: 0 });
});

test('when every count is under way, further keys are refused until one ends', async () => {
  const clock = new ManualClock();
  const store = new MemoryAttemptStore(clock, 10);
  const flood = Array.from({ length: 50 }, (_, index) => store.attempt(`other ${index}`, policy));
  const answers = await Promise.allSettled(flood);
  const refused = answers.filter(({ status }) => status === 'rejected');
  expect([answers.length - refused.length, refused.length]).toEqual([10, 40]);
  expect(refused[0]).toMatchObject({ reason: { code: 'store_unavailable' } });
  await store.withdrawn('other 0');
  expect(await store.attempt('another', policy)).toEqual({ allowed: true, failures: 0 });
  await clock.pass(60_001);
  expect(await store.attempt('one more', policy)).toEqual({ allowed: true, failures: 0 });
});

test('when no lock fits any longer, the count itself refuses until its window is over', async () => {
  const clock = new ManualClock();
  const store = new MemoryAttemptStore(clock, 5);
  const lock = async (key: string) => {
    let isLocked = false;
    for (let at = 0; at < policy.max; at++) {
      await store.attempt(key, policy);
      isLocked = await store.failed(key, policy);
    }
    return isLocked;
  };
  for (let index = 0; index < 5; index++) await lock(`locked ${index}`);
  expect(await lock('victim')).toBe(true);
  expect(await store.attempt('victim', policy)).toMatchObject({ allowed: false });
  for (let index = 0; index < 100; index++) {
    await store.attempt(`other ${index}`, policy);
    await store.failed(`other ${index}`, policy);
  }
  expect(await store.attempt('victim', policy)).toMatchObject({ allowed: false });
  expect(await store.attempt('locked 0', policy)).toMatchObject({ allowed: false, locked: true });
});

test('of too many tickets those that end first are ended', async () => {
  const store = new MemoryTicketStore(new ManualClock(), 50);
  const lasting = ticketOf('ana', 'lasting');
  await store.issue(lasting, 60_000, true);
  for (let index = 0; index < 500; index++) await store.issue(ticketOf(`u${index}`, `s${index}`), 1_000, true);
  expect(store.size).toBeLessThanOrEqual(50);
  expect(await store.peek('reset', lasting.digest)).toEqual(lasting);
});

test('an account is never evicted: further ones are refused', async () => {
  const store = new MemoryAccountStore(2);
  for (const name of ['a', 'b']) await store.create(accountOf(`${name}@example.test`));
  await expect(store.create(accountOf('c@example.test'))).rejects.toMatchObject({ code: 'store_unavailable' });
  expect(await store.create(accountOf('a@example.test'))).toBe(undefined);
  expect(await store.list(undefined, 9)).toHaveLength(2);
});

test('what is given out or taken in can be changed without changing what is kept', async () => {
  const accounts = new MemoryAccountStore();
  const metadata = { list: [1] };
  const roles = ['a'];
  const account = accountOf('ana@example.test', { metadata, roles });
  await accounts.create(account);
  metadata.list.push(2);
  roles.push('admin');
  ((await accounts.byId(account.id)) as unknown as { roles: string[] }).roles.push('admin');
  expect(await accounts.byId(account.id)).toMatchObject({ metadata: { list: [1] }, roles: ['a'] });
});

test('what has ended is removed by itself, and nothing is kept after the end', async () => {
  const clock = new ManualClock();
  const store = new MemoryStateStore(clock);
  await store.open();
  await store.open();
  expect(clock.sleeping).toBe(1);
  await store.sessions.begin(sessionOf('ana'), { ...long, idle: 5_000 }, many, '');
  await store.sessions.firstUse('jti', 5_000);
  await store.attempts.attempt('key', { ...policy, window: 5_000 });
  await store.tickets.issue(ticketOf('ana', 'secret'), 5_000, true);
  store.takeToken('login', 1, 1);
  expect(store.size).toBe(5);
  await clock.pass(10_000);
  expect(store.size).toBe(0);
  await store.sessions.begin(sessionOf('ana'), long, many, '');
  await store.close();
  expect([store.size, clock.sleeping]).toEqual([0, 0]);
});
