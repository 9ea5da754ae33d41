import { describe, expect, test } from 'vitest';
import { Failure } from '../../foundation/errors/failure.ts';
import { type AuthBed, ana, authBed, goodPassword, quick } from './testing/bed.ts';
import { faults } from './testing/faults.ts';

const away = () => Promise.reject(new Failure('store_unavailable', 'the store is unavailable', { retryAfter: 2_000 }));

/** What of a store each request needs, with the store that is unavailable in turn. */
const stores = ['sessions', 'attempts', 'tickets', 'accounts', 'audit'] as const;

async function withStore(which: (typeof stores)[number]) {
  const bed = await authBed(quick('hooks {\n on_password_reset {\n flow = flow.f\n }\n }'));
  const { access_token: token, refresh_token: refresh } = (await bed.register()).body;
  await bed.ask('password_forgot', { body: { email: ana } });
  const reset = bed.hooked[0]?.[1]['reset_token'];
  const { state, accounts, audit } = bed.system;
  const store = { ...state, accounts, audit }[which] as unknown as Record<string, unknown>;
  const methods = [...Object.getOwnPropertyNames(Object.getPrototypeOf(store)), ...Object.keys(store)];
  for (const name of methods)
    if (name !== 'constructor' && typeof store[name] === 'function')
      Object.defineProperty(store, name, { value: away });
  return { bed, token, refresh, reset };
}

describe.each(stores)('S-96: while %s are unavailable', (which) => {
  test('nothing is let through that needs them', async () => {
    const { bed, token, refresh, reset } = await withStore(which);
    const asks = {
      register: () => bed.register('b@example.test'),
      login: () => bed.login(goodPassword),
      refresh: () => bed.ask('refresh', { body: { refresh_token: refresh } }),
      me: () => bed.ask('me', { token }),
      change: () =>
        bed.ask('password_change', { token, body: { current_password: goodPassword, new_password: 'Better-Horse-8' } }),
      reset: () => bed.ask('password_reset', { body: { token: reset, new_password: 'Better-Horse-8' } }),
    };
    const answers: Record<string, string> = {};
    for (const [name, ask] of Object.entries(asks)) {
      const { status, body, headers } = await ask();
      answers[name] = status < 400 ? 'done' : `${status} ${body.error.code} ${headers['retry-after']}`;
    }
    const refused = '503 unavailable 2';
    expect(answers).toEqual({
      register: which === 'tickets' ? 'done' : refused,
      login: which === 'tickets' ? 'done' : refused,
      refresh: which === 'tickets' || which === 'attempts' ? 'done' : refused,
      me: which === 'sessions' || which === 'accounts' ? refused : 'done',
      change: refused,
      reset: which === 'attempts' ? 'done' : refused,
    });
  });
});

test('S-96: a flow is not run for a caller whose session cannot be looked at', async () => {
  const { bed, token } = await withStore('sessions');
  await expect(bed.caller(token)).rejects.toMatchObject({ code: 'store_unavailable' });
});

const better = 'Better-Horse-8';
const resets = 'hooks {\n on_password_reset {\n flow = flow.f\n }\n }';

/** What sets another password, in one of the sessions of an account or without any. */
const changes: Readonly<Record<string, (bed: AuthBed, token: string, reset: unknown) => ReturnType<AuthBed['ask']>>> = {
  'a change': (bed, token) =>
    bed.ask('password_change', { token, body: { current_password: goodPassword, new_password: better } }),
  'a reset': (bed, _token, reset) => bed.ask('password_reset', { body: { token: reset, new_password: better } }),
};

describe.each([false, true])('S-96: a store that is unavailable (for long: %s)', (lasting) => {
  test.each(Object.entries(changes))(
    'in the middle of %s leaves no session beside the new password',
    async (_, change) => {
      for (let number = 1, isOver = false; !isOver; number++) {
        const bed = await authBed(quick(resets));
        const other = (await bed.register()).body;
        const { access_token: token } = (await bed.login(goodPassword)).body;
        await bed.ask('password_forgot', { body: { email: ana } });
        const reset = bed.hooked[0]?.[1]['reset_token'];
        const { answer, calls } = await faults(bed).during(number, () => change(bed, token, reset), lasting);
        isOver = calls < number;
        const isChanged = (await bed.login(better)).status === 200;
        const isAlive = (await bed.ask('refresh', { body: { refresh_token: other.refresh_token } })).status === 200;
        expect({ number, isChanged, left: isChanged && isAlive }).toEqual({ number, isChanged, left: false });
        if (isOver) expect([answer.status, isChanged]).toEqual([200, true]);
      }
    },
  );
});
