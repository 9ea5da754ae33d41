import { expect, test } from 'vitest';
import { Failure } from '../../../errors/failure.ts';
import { type Answered, type AuthBed, authBed, goodPassword, quick } from '../../testing/bed.ts';
import { App } from '../testing/app.ts';
import { SoftwareAuthenticator } from './testing/authenticator.ts';

const origin = 'https://library.example.test';

/** Counts the calls of every store, and lets one of them find its store unavailable. */
function faults(bed: AuthBed) {
  const { state, accounts } = bed.system;
  const seen = { calls: 0, failing: 0, lasting: false };
  const watch = (store: object) => {
    const names = [...Object.getOwnPropertyNames(Object.getPrototypeOf(store)), ...Object.keys(store)];
    for (const name of new Set(names)) {
      const method = (store as Record<string, unknown>)[name];
      if (name === 'constructor' || typeof method !== 'function') continue;
      const watched = (...all: unknown[]) => {
        seen.calls++;
        if (seen.calls === seen.failing || (seen.lasting && seen.calls > seen.failing))
          return Promise.reject(new Failure('store_unavailable', 'the store is unavailable', { retryAfter: 2_000 }));
        return method.apply(store, all);
      };
      Object.defineProperty(store, name, { value: watched, configurable: true });
    }
  };
  for (const store of [accounts, accounts.factors, accounts.identities, ...Object.values(state)])
    if (typeof store === 'object' && store !== null) watch(store);
  return {
    /** The calls that a request makes; the one of this number fails, and where it lasts all after it. */
    async during(
      number: number,
      ask: () => Promise<Answered>,
      lasting = false,
    ): Promise<{ answer: Answered; calls: number }> {
      Object.assign(seen, { calls: 0, failing: number, lasting });
      const answer = await ask();
      const { calls } = seen;
      Object.assign(seen, { calls: 0, failing: 0, lasting: false });
      return { answer, calls };
    },
  };
}

async function registered() {
  const bed = await authBed(`base_url = "${origin}"\n${quick('mfa {\n }')}`);
  const { access_token: token } = (await bed.register()).body;
  return { bed, token, key: new SoftwareAuthenticator(origin), faulty: faults(bed) };
}

/** What an account shows after its enrolment failed. */
async function after(bed: AuthBed, token: string) {
  const { id, mfa_enabled: flag } = (await bed.ask('me', { token })).body;
  const { passkeys, recoveryCodes, totp } = await bed.system.accounts.factors.held(id);
  return { flag, passkeys, recoveryCodes, totp, login: (await bed.login(goodPassword)).status };
}

const nothing = { flag: undefined, passkeys: 0, recoveryCodes: 0, totp: false, login: 200 };
const unavailable = { status: 503, body: { error: { code: 'unavailable' } }, headers: { 'retry-after': '2' } };

test('S-96: a passkey is enrolled whole or not at all, whichever call finds its store unavailable', async () => {
  for (let number = 1; ; number++) {
    const { bed, token, key, faulty } = await registered();
    const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    const body = { credential: key.create(begun.body.publicKey) };
    const { answer, calls } = await faulty.during(number, () => bed.ask('webauthn_register_finish', { token, body }));
    if (calls < number) {
      expect(number).toBeGreaterThan(10);
      expect(answer.status).toBe(201);
      return;
    }
    expect(answer).toMatchObject(unavailable);
    expect({ number, ...(await after(bed, token)) }).toEqual({ number, ...nothing });
    // The same passkey can be enrolled then.
    const again = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    const finished = await bed.ask('webauthn_register_finish', {
      token,
      body: { credential: key.create(again.body.publicKey) },
    });
    expect([number, finished.status, finished.body.recovery_codes?.length]).toEqual([number, 201, 10]);
  }
}, 120_000);

test('S-96: so is an authenticator app', async () => {
  for (let number = 1; ; number++) {
    const { bed, token, faulty } = await registered();
    const { provisioning_uri: address } = (await bed.ask('mfa_setup', { token, body: { password: goodPassword } }))
      .body;
    const body = { code: new App(address, bed.clock).code() };
    const { answer, calls } = await faulty.during(number, () => bed.ask('mfa_verify', { token, body }));
    if (calls < number) {
      expect(number).toBeGreaterThan(10);
      expect(answer.status).toBe(200);
      return;
    }
    expect(answer).toMatchObject(unavailable);
    expect({ number, ...(await after(bed, token)) }).toEqual({ number, ...nothing });
  }
});

test('S-96: a sign-in by a passkey fails as a whole, and the next one succeeds', async () => {
  for (let number = 1; ; number++) {
    const { bed, token, key, faulty } = await registered();
    const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
    await bed.ask('webauthn_register_finish', { token, body: { credential: key.create(begun.body.publicKey) } });
    const signIn = async () => {
      const options = (await bed.ask('webauthn_login_begin', { body: {} })).body.publicKey;
      return { credential: key.get(options) };
    };
    const body = await signIn();
    const { answer, calls } = await faulty.during(number, () => bed.ask('webauthn_login_finish', { body }));
    if (calls < number) {
      expect(number).toBeGreaterThan(8);
      expect(answer.status).toBe(200);
      return;
    }
    expect(answer).toMatchObject(unavailable);
    const next = await bed.ask('webauthn_login_finish', { body: await signIn() });
    expect([number, next.status]).toEqual([number, 200]);
  }
});

test('S-96: a factor that cannot be removed again, while nothing answers, is asked for, and the log says so', async () => {
  const { bed, token, key, faulty } = await registered();
  const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
  const body = { credential: key.create(begun.body.publicKey) };
  const { answer } = await faulty.during(6, () => bed.ask('webauthn_register_finish', { token, body }), true);
  expect(answer).toMatchObject(unavailable);
  expect(await after(bed, token)).toMatchObject({ passkeys: 1, recoveryCodes: 0, login: 428 });
  expect(bed.log.map(({ message }) => message)).toContain(
    'a factor was enrolled and its enrolment could not be completed; it stays',
  );
});
