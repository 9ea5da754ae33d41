import { describe, expect, test } from 'vitest';
import { Failure } from '../../errors/failure.ts';
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
    accounts.delete = away;
    state.sessions.begin = away;
    expect(await bed.register()).toMatchObject(unavailable);
    expect(bed.log.map(({ message }) => message)).toContain('an account was made and could not be signed in; it stays');
    Object.assign(state.sessions, { begin });
    expect(await bed.register()).toMatchObject({ status: 400, body: { error: { code: 'user_exists' } } });
    expect(await bed.login('Correct-Horse-7')).toMatchObject({ status: 200 });
  });

  test('is not made while its record cannot be written', async () => {
    const accounts = new MemoryAccountStore();
    const bed = await authBed(lines, { accounts, audit: { record: away } });
    expect(await bed.register()).toMatchObject(unavailable);
    expect(await accounts.byEmail(ana)).toBeUndefined();
  });
});
