import { describe, expect, test } from 'vitest';
import { Failure } from '../errors/failure.ts';
import { ana, authBed, goodPassword, quick } from './testing/bed.ts';

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
