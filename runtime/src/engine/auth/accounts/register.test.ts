import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { MemoryStateStore } from '../store/memory/state.ts';
import { ana, authBed, LeapingClock, quick } from '../testing/bed.ts';

const away = async () => {
  throw new Failure('store_unavailable', 'the store is gone');
};
const lines = quick(`
  security {
    device_binding {
      enabled = true
    }
  }
  hooks {
    after_register {
      flow = "f"
    }
  }`);

async function bedOf() {
  const clock = new LeapingClock();
  const [accounts, state] = [new MemoryAccountStore(), new MemoryStateStore(clock)];
  return { accounts, state, bed: await authBed(lines, { clock, accounts, state }) };
}

const unavailable = {
  status: 503,
  headers: { 'retry-after': '1' },
  body: { error: { code: 'unavailable', message: 'The service cannot do this now; try again shortly.' } },
};

describe('an account whose first session cannot be begun', () => {
  test.each(['the sessions', 'the devices'])('is not made while the store of %s is unavailable', async (which) => {
    const { accounts, state, bed } = await bedOf();
    const keepDevice = accounts.keepDevice.bind(accounts);
    const begin = state.sessions.begin.bind(state.sessions);
    if (which === 'the devices') accounts.keepDevice = away;
    else state.sessions.begin = away;
    expect(await bed.register()).toMatchObject(unavailable);
    expect(await accounts.byEmail(ana)).toBeUndefined();
    // The generation of its credentials is left, and no session.
    expect(state.sessions.size).toBe(1);
    expect(bed.recorded.map(({ event, success, reason }) => ({ event, success, reason }))).toEqual([
      { event: 'register', success: true, reason: undefined },
      { event: 'register', success: false, reason: 'unavailable' },
    ]);
    expect(bed.hooked).toEqual([]);

    Object.assign(accounts, { keepDevice });
    Object.assign(state.sessions, { begin });
    expect(await bed.register()).toMatchObject({ status: 201, body: { user: { email: ana } } });
    expect(bed.hooked).toHaveLength(1);
  });

  test('stays where it cannot be removed either, which the log says, and signs in later', async () => {
    const { accounts, state, bed } = await bedOf();
    const begin = state.sessions.begin.bind(state.sessions);
    accounts.takeBack = away;
    state.sessions.begin = away;
    expect(await bed.register()).toMatchObject(unavailable);
    expect(bed.log.map(({ message }) => message)).toContain('an account was made and could not be signed in; it stays');
    Object.assign(state.sessions, { begin });
    expect(await bed.register()).toMatchObject({ status: 400, body: { error: { code: 'user_exists' } } });
    expect(await bed.login('Correct-Horse-7')).toMatchObject({ status: 200 });
  });

  test('stays where another client has signed in to it before it could be recorded, with their session', async () => {
    const accounts = new MemoryAccountStore();
    const { promise: recorded, reject: fail } = Promise.withResolvers<void>();
    const bed = await authBed(lines, {
      accounts,
      audit: { record: ({ event }) => (event === 'register' ? recorded : Promise.resolve()) },
    });
    const registering = bed.register();
    await until(() => accounts.byEmail(ana));
    const { status, body } = await bed.login('Correct-Horse-7');
    expect(status).toBe(200);
    fail(new Failure('store_unavailable', 'away'));
    expect(await registering).toMatchObject(unavailable);
    expect(await bed.caller(body.access_token)).toMatchObject({ email: ana });
    expect(await bed.login('Correct-Horse-7')).toMatchObject({ status: 200 });
  });

  test('is not made while its record cannot be written', async () => {
    const accounts = new MemoryAccountStore();
    const bed = await authBed(lines, { accounts, audit: { record: away } });
    expect(await bed.register()).toMatchObject(unavailable);
    expect(await accounts.byEmail(ana)).toBeUndefined();
  });
});

describe('an address that is taken', () => {
  test.each(['ip', 'user', 'ip+user'])('is not a failed sign-in, counted by %s', async (trackBy) => {
    const bed = await authBed(
      quick(`security {\n brute_force {\n max_attempts = 2\n track_by = "${trackBy}"\n fail_delay = "0s"\n }\n }`),
    );
    await bed.register();
    for (let at = 0; at < 6; at++) expect((await bed.register()).body.error.code).toBe('user_exists');
    expect((await bed.login('Correct-Horse-7')).status).toBe(200);
    expect((await bed.register('bob@example.test')).status).toBe(201);
    expect(bed.recorded.filter(({ event }) => event === 'failed_login')).toEqual([]);
  });

  test('is limited by a name of its own, which locks no one out', async () => {
    const bed = await authBed(quick('security {\n brute_force {\n max_attempts = 1\n fail_delay = "0s"\n }\n }'));
    await bed.register();
    const codes = [];
    for (let at = 0; at < 21; at++) codes.push((await bed.register()).body.error.code);
    expect(codes).toEqual([...Array(20).fill('user_exists'), 'too_many_registrations']);
    expect((await bed.login('Correct-Horse-7')).status).toBe(200);
  });
});

test('metadata with an integer beyond 2^53-1 is kept as a text, in every store', async () => {
  const { accounts, bed } = await bedOf();
  const body = `{"email":"${ana}","password":"Correct-Horse-7","metadata":{"n":123456789012345678901234567890}}`;
  const metadata = { n: '123456789012345678901234567890' };
  expect(await bed.ask('register', { body })).toMatchObject({ status: 201, body: { user: { metadata } } });
  expect((await accounts.byEmail(ana))?.metadata).toEqual(metadata);
});
