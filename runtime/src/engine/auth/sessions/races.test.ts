import { describe, expect, test } from 'vitest';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import { Administration } from '../accounts/administration.ts';
import { SoftwareAuthenticator } from '../factors/passkeys/testing/authenticator.ts';
import { enrolled, nextCode } from '../factors/testing/app.ts';
import { comeBack, start, withProvider } from '../federated/testing/journey.ts';
import { MemoryAccountStore } from '../store/memory/accounts.ts';
import { type Answered, type AuthBed, ana, authBed, goodPassword, quick } from '../testing/bed.ts';
import { beforeCall } from '../testing/before-call.ts';

const origin = 'https://library.example.test';
const better = 'Better-Horse-8';

/** A person with an account, and what that person needs for every way to sign in. */
interface Person {
  readonly bed: AuthBed;
  readonly id: string;
  /** The access token of a session that began before. */
  readonly token: string;
  readonly reset: string;
  readonly provider: OpenIdStandIn;
}

const hook = 'hooks {\n on_password_reset {\n flow = flow.f\n }\n }';

async function person(lines: string, provider: OpenIdStandIn): Promise<Person> {
  const bed = await authBed(withProvider(provider, `${hook}\n${lines}`));
  const { access_token: token, user } = (await bed.register()).body;
  await bed.system.accounts.update(user.id, { emailVerified: true }, bed.clock.now());
  await bed.ask('password_forgot', { body: { email: ana } });
  return { bed, id: user.id, token, reset: String(bed.hooked[0]?.[1]['reset_token']), provider };
}

type SignIn = () => Promise<Answered>;

/** Every act that begins a session: what is made ready, and the request in which the session begins. */
const beginnings: Readonly<Record<string, { readonly mfa: boolean; ready(person: Person): Promise<SignIn> }>> = {
  'the password': {
    mfa: false,
    ready:
      async ({ bed }) =>
      () =>
        bed.login(goodPassword),
  },
  'the password and a code in one request': {
    mfa: true,
    ready: async ({ bed, token }) => {
      const { app } = await enrolled(bed, ana, token);
      const code = nextCode(bed, app);
      return () => bed.login(goodPassword, { body: { mfa_code: code } });
    },
  },
  'a code after the password': {
    mfa: true,
    ready: async ({ bed, token }) => {
      const { app } = await enrolled(bed, ana, token);
      const code = nextCode(bed, app);
      const { mfa_token: waiting } = (await bed.login(goodPassword)).body;
      return () => bed.ask('mfa_verify', { body: { mfa_token: waiting, code } });
    },
  },
  'a passkey': {
    mfa: true,
    ready: async ({ bed, token }) => {
      const key = new SoftwareAuthenticator(origin);
      const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
      await bed.ask('webauthn_register_finish', { token, body: { credential: key.create(begun.body.publicKey) } });
      const options = (await bed.ask('webauthn_login_begin', { body: {} })).body.publicKey;
      return () => bed.ask('webauthn_login_finish', { body: { credential: key.get(options) } });
    },
  },
  'an identity provider': {
    mfa: false,
    ready: async ({ bed, provider }) => {
      const { url, cookie } = await start(bed);
      const back = provider.signIn(url, 'ana');
      return () => comeBack(bed, back, cookie);
    },
  },
};

/** Every act that ends the sessions of an account. */
const endings: Readonly<Record<string, (person: Person) => Promise<unknown>>> = {
  'a change of the password': async ({ bed, token }) => {
    const body = { current_password: goodPassword, new_password: better };
    return expect((await bed.ask('password_change', { token, body })).status).toBe(200);
  },
  'a reset of the password': async ({ bed, reset }) =>
    expect((await bed.ask('password_reset', { body: { token: reset, new_password: better } })).status).toBe(200),
  'a lock': ({ bed, id }) => administered(bed, id, (admin, account) => admin.lock(account)),
  'the removal of the account': ({ bed, id }) => administered(bed, id, (admin, account) => admin.delete(account)),
};

/** What the command line does; it ends sessions that are in a store that it shares with the service. */
async function administered(
  bed: AuthBed,
  id: string,
  act: (
    admin: Administration,
    account: NonNullable<Awaited<ReturnType<AuthBed['system']['accounts']['byId']>>>,
  ) => Promise<unknown>,
): Promise<void> {
  const account = await bed.system.accounts.byId(id);
  if (account === undefined) throw new Error('there is no account');
  const { sessions, attempts, tickets } = bed.system.state;
  const shared = { ...bed.system.state, processLocal: false, sessions, attempts, tickets };
  await act(new Administration({ ...bed.system, state: shared as never }), account);
}

/** Signs in while an act is carried out before a call of this number; 0: before the sign-in. */
async function raced(beginning: string, ending: string, number: number, provider: OpenIdStandIn) {
  const { mfa, ready } = beginnings[beginning] as (typeof beginnings)[string];
  const end = endings[ending] as (typeof endings)[string];
  const who = await person(mfa ? 'mfa {\n }' : '', provider);
  const signIn = await ready(who);
  if (number === 0) await end(who);
  const watched = beforeCall(who.bed, number, () => end(who));
  const { status, body } = await signIn();
  const calls = watched.calls();
  const renewed =
    status < 300 && (await who.bed.ask('refresh', { body: { refresh_token: body.refresh_token } })).status < 300;
  return { outcome: status < 300 ? (renewed ? 'renewed' : 'begun and ended') : String(body.error.code), calls };
}

describe.each(Object.keys(endings))('S-19: %s', (ending) => {
  test.each(Object.keys(beginnings))('and %s at the same time, in every order', async (beginning) => {
    const provider = await OpenIdStandIn.start();
    try {
      const { outcome: afterwards } = await raced(beginning, ending, 0, provider);
      let number = 1;
      for (let calls = 1; calls >= number; number++) {
        const race = await raced(beginning, ending, number, provider);
        calls = race.calls;
        if (afterwards !== 'renewed') expect([number, race.outcome]).not.toEqual([number, 'renewed']);
      }
      expect(number).toBeGreaterThan(1);
    } finally {
      await provider.stop();
    }
  });
});

test('S-19: an account with the number of a removed one has nothing of what that one had', async () => {
  const accounts = new MemoryAccountStore();
  const create = accounts.create.bind(accounts);
  accounts.create = (account, identity) => create({ ...account, id: '1' }, identity);
  const bed = await authBed(quick(hook), { accounts });
  const { access_token: access, refresh_token: refresh } = (await bed.register('former@example.test')).body;
  await bed.ask('password_forgot', { body: { email: 'former@example.test' } });
  const token = bed.hooked[0]?.[1]['reset_token'];
  // As another program does, which ends no session.
  await accounts.delete('1');
  expect((await bed.register()).body.user.id).toBe('1');
  const reset = await bed.ask('password_reset', { body: { token, new_password: better } });
  const again = await bed.ask('refresh', { body: { refresh_token: refresh } });
  expect([await bed.caller(access), again.status, reset.status]).toEqual([undefined, 401, 401]);
  expect((await bed.login(goodPassword)).status).toBe(200);
});
