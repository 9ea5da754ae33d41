import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import type { Storage } from '../../foundation/contracts/storage.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Reading, readingAt, timeOf } from '../../foundation/observe/clock.ts';
import { MemoryStorage } from '../../platform/sync/memory/storage.ts';
import { Attempts, memoryOfProcess } from './attempts.ts';
import { ask, begin, make, opened, refusal, standIn } from './testing/bed.ts';

class TestClock {
  #now = Date.now();
  #elapsed = 0;

  now() {
    return this.#now;
  }

  elapsed() {
    return this.#elapsed;
  }

  reading() {
    return readingAt(this.#elapsed);
  }

  since(reading: Reading) {
    return this.#elapsed - timeOf(reading);
  }

  async sleep(_: number, signal?: AbortSignal) {
    await new Promise<void>((resolve) => signal?.addEventListener('abort', () => resolve(), { once: true }));
  }

  pass(milliseconds: number) {
    this.#now += milliseconds;
    this.#elapsed += milliseconds;
  }

  /** The clock is set, and no time passes. */
  set(by: number) {
    this.#now += by;
  }
}

const unknown = [
  'input_refused',
  false,
  'this sign-in was not begun here or by this browser, was ended already, or is too old: begin again',
] as const;

function memory(clock = new TestClock()): Storage {
  return new MemoryStorage({ eviction: 'lru', maxItems: 100, defaultTtl: undefined }, clock);
}

async function login(written: Record<string, unknown> = {}, storage: Storage = memory(), clock = new TestClock()) {
  const provider = await standIn();
  const services = connectorServices({ clock, storage: () => storage });
  const connector = await opened('oidc', provider.issuer, written, services);
  return { provider, connector, clock, storage, services };
}

describe('S-41: a callback', () => {
  test('without a state, or with more than one, is refused before anything is asked', async () => {
    const { connector, provider } = await login();
    const { auth_url: url } = await begin(connector);
    const { state, code } = provider.signIn(url);
    const all = [{ code }, { code, state: '' }, { code, state: null }, { code, state: [state, state] }, { state }];
    const refusals = await Promise.all(all.map((params) => refusal(ask(connector, 'callback', params))));
    expect(refusals.map(([code]) => code)).toEqual(all.map(() => 'parameters_invalid'));
    expect(provider.count('POST /token')).toBe(0);
  });

  test('with a state that was never given, is too long or is of another connector is refused', async () => {
    const { connector, provider, services } = await login({ storage: 'shared' });
    const other = await opened('oidc', provider.issuer, { storage: 'shared' }, services, 'other');
    const { auth_url: url } = await begin(other);
    const { state, code } = provider.signIn(url);
    for (const given of ['guessed', 'x'.repeat(100_000), state])
      expect(await refusal(ask(connector, 'callback', { code, state: given }))).toEqual(unknown);
    expect(provider.count('POST /token')).toBe(0);
    // The one that it belongs to takes it.
    expect(await ask(other, 'callback', { code, state })).toMatchObject({ provider_id: 'ana' });
  });

  test.each([
    ['the memory of the process', {}],
    ['a cache', { storage: 'shared' }],
  ])('is good once, of several at the same time too: %s', async (_, written) => {
    const { connector, provider } = await login(written);
    const { auth_url: url } = await begin(connector);
    const back = provider.signIn(url);
    const answers = await Promise.allSettled(Array.from({ length: 20 }, () => ask(connector, 'callback', back)));
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(provider.count('POST /token')).toBe(1);
    expect(await refusal(ask(connector, 'callback', back))).toEqual(unknown);
  });

  test.each([
    ['the memory of the process', {}],
    ['a cache', { storage: 'shared' }],
  ])('is refused after ten minutes: %s', async (_, written) => {
    const clock = new TestClock();
    const { connector, provider } = await login(written, memory(clock), clock);
    const [early, late] = [await begin(connector), await begin(connector)];
    clock.pass(599_000);
    const now = Math.floor(clock.now() / 1_000);
    provider.claims = { iat: now, exp: now + 60 };
    expect(await ask(connector, 'callback', provider.signIn(early.auth_url))).toMatchObject({ provider_id: 'ana' });
    clock.pass(1_001);
    expect(await refusal(ask(connector, 'callback', provider.signIn(late.auth_url)))).toEqual(unknown);
    expect(provider.count('POST /token')).toBe(1);
  });

  test('A-09: a clock that is set forward refuses it, and one that is set back prolongs nothing', async () => {
    const { connector, provider, clock } = await login();
    const [first, second] = [await begin(connector), await begin(connector)];
    clock.set(3_600_000);
    expect((await refusal(ask(connector, 'callback', provider.signIn(first.auth_url))))[2]).toContain('too long ago');
    clock.set(-7_200_000);
    clock.pass(600_001);
    expect(await refusal(ask(connector, 'callback', provider.signIn(second.auth_url)))).toEqual(unknown);
    expect(provider.count('POST /token')).toBe(0);
  });

  test('belongs to whom authorize was bound to; it is over for the others, and for who is right then', async () => {
    const { connector, provider } = await login();
    const of = async (bound: object, given: object) => {
      const { auth_url: url } = await begin(connector, { ...bound });
      const back = provider.signIn(url);
      const answer = await ask(connector, 'callback', { ...back, ...given }).catch((error: Failure) => error.message);
      return [answer, await refusal(ask(connector, 'callback', { ...back, ...bound }))];
    };
    const [ana, eve] = [{ binding: 'ana' }, { binding: 'eve' }];
    expect(await of(ana, ana)).toEqual([expect.objectContaining({ provider_id: 'ana' }), unknown]);
    expect(await of({ binding: 7n }, { binding: 7 })).toEqual([
      expect.objectContaining({ provider_id: 'ana' }),
      unknown,
    ]);
    for (const [bound, given] of [
      [ana, eve],
      [ana, {}],
      [{}, eve],
    ] as const)
      expect(await of(bound, given)).toEqual([unknown[2], unknown]);
    expect(provider.count('POST /token')).toBe(2);
  });

  test('S-96: a binding that says nothing is refused, where it begins and where it ends', async () => {
    const { connector } = await login();
    for (const binding of ['', null, undefined, {}, true]) {
      const refused = [
        'parameters_invalid',
        false,
        'the parameter "binding" must be a text or number that is not empty',
      ];
      expect(await refusal(begin(connector, { binding }))).toEqual(refused);
      expect(await refusal(ask(connector, 'callback', { code: 'c', state: 's', binding }))).toEqual(refused);
    }
  });

  test('of another issuer, or with an error of the provider, ends what was begun without a code', async () => {
    const { connector, provider } = await login();
    const [first, second] = [await begin(connector), await begin(connector)];
    const foreign = { ...provider.signIn(first.auth_url), iss: 'https://evil.example.test' };
    expect((await refusal(ask(connector, 'callback', foreign))).slice(0, 2)).toEqual(['input_refused', false]);
    const { state } = second;
    const denied = { state, code: '', error: 'access_denied', error_description: 'No.' };
    expect(await refusal(ask(connector, 'callback', denied))).toEqual([
      'authentication_required',
      false,
      'the identity provider "login" refused: access_denied: No.',
    ]);
    expect(await refusal(ask(connector, 'callback', denied))).toEqual(unknown);
    expect(provider.count('POST /token')).toBe(0);
  });
});

describe('where what was begun is kept', () => {
  test('the state is not there, and what others write there is not believed', async () => {
    const storage = memory();
    const keys: string[] = [];
    const watched = new Proxy(storage, {
      get: (made, name) =>
        name === 'set'
          ? (key: string, value: string, ttl: number) => {
              keys.push(key, value);
              return made.set(key, value, ttl);
            }
          : (Reflect.get(made, name) as () => unknown).bind(made),
    });
    const { connector, provider } = await login({ storage: 'shared' }, watched);
    const { auth_url: url, state } = await begin(connector, { binding: 'ana at home' });
    expect(keys[0]).toMatch(/^oauth:login:[\w-]{43}$/);
    // Who has the state can read it; the state is not there.
    expect(keys.join(' ')).not.toMatch(/codeVerifier|login"|ana/);
    expect(keys.join(' ')).not.toContain(state);
    const ofAnother = await begin(connector);
    const [, own = '', , another = ''] = keys;
    const changed = `${own.slice(0, 40)}${own[40] === 'A' ? 'B' : 'A'}${own.slice(41)}`;
    for (const text of ['', 'null', '{}', 'x'.repeat(100), another, changed, own.slice(0, 40)]) {
      await storage.set(keys[0]!, text, 60_000);
      expect(await refusal(ask(connector, 'callback', provider.signIn(url)))).toEqual(unknown);
    }
    expect(provider.count('POST /token')).toBe(0);
    expect(await ask(connector, 'callback', provider.signIn(ofAnother.auth_url))).toMatchObject({ provider_id: 'ana' });
  });

  test('S-96: a cache that is not available refuses both ends', async () => {
    const failing = () => Promise.reject(new Failure('store_unavailable', 'the cache is not available'));
    const storage = Object.assign(Object.create(memory()) as Storage, { get: failing, set: failing });
    const { connector, provider } = await login({ storage: 'shared' }, storage);
    const unavailable = ['store_unavailable', true, 'the cache is not available'];
    expect(await refusal(begin(connector))).toEqual(unavailable);
    expect(await refusal(ask(connector, 'callback', { code: 'c', state: 's' }))).toEqual(unavailable);
    expect(provider.count('POST /token')).toBe(0);
  });

  test('memory is bounded: of very many that begin, the oldest ends for one more', async () => {
    const clock = new TestClock();
    const attempts = new Attempts('login', memoryOfProcess(clock), clock);
    const attempt = (state: string) => ({
      provider: 'login',
      state,
      nonce: undefined,
      codeVerifier: 'v',
      redirectUri: 'https://shop.example.test/callback',
      endsAt: clock.now() + 600_000,
    });
    for (let at = 0; at <= 20_000; at++) await attempts.keep(attempt(`${at}`), undefined);
    expect((await refusal(attempts.take('0', undefined)))[0]).toBe('input_refused');
    for (const state of ['1', '20000']) expect(await attempts.take(state, undefined)).toEqual(attempt(state));
  });

  test('a connector that is closed and opened again still knows it', async () => {
    const provider = await standIn();
    const connector = make('oidc', provider.issuer);
    const signal = new AbortController().signal;
    await connector.open(signal);
    const { auth_url: url } = await begin(connector);
    await connector.close();
    await connector.open(signal);
    expect(await ask(connector, 'callback', provider.signIn(url))).toMatchObject({ provider_id: 'ana' });
    await connector.close();
  });
});
