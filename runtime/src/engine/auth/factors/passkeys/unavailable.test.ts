import { expect, test } from 'vitest';
import { type AuthBed, authBed, goodPassword, quick } from '../../testing/bed.ts';
import { faults } from '../../testing/faults.ts';
import { App } from '../testing/app.ts';
import { SoftwareAuthenticator } from './testing/authenticator.ts';

const origin = 'https://library.example.test';

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
