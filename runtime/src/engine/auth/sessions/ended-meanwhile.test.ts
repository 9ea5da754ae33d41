import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OpenIdStandIn } from '../../../../../test/support/servers/openid/stand-in.ts';
import { SoftwareAuthenticator } from '../factors/passkeys/testing/authenticator.ts';
import { App } from '../factors/testing/app.ts';
import { comeBack, start, withProvider } from '../federated/testing/journey.ts';
import { type Answered, type AuthBed, ana, authBed, goodPassword } from '../testing/bed.ts';
import { beforeCall } from '../testing/before-call.ts';

const better = 'Better-Horse-8';

/** An account that was registered with an address which its owner verifies by a reset, and a session of who registered it. */
interface Registered {
  readonly bed: AuthBed;
  readonly id: string;
  readonly token: string;
  readonly reset: string;
}

let provider: OpenIdStandIn;
beforeAll(async () => {
  provider = await OpenIdStandIn.start();
});
afterAll(() => provider.stop());

async function registered(): Promise<Registered> {
  const lines =
    'mfa {\n methods = ["totp", "webauthn"]\n recovery {\n enabled = false\n }\n }\n hooks {\n on_password_reset {\n flow = flow.f\n }\n }';
  const bed = await authBed(withProvider(provider, lines));
  const { access_token: token, user } = (await bed.register()).body;
  await bed.ask('password_forgot', { body: { email: ana } });
  return { bed, id: user.id, token, reset: String(bed.hooked[0]?.[1]['reset_token']) };
}

interface Addition {
  /** What is made ready in the session, and the request that adds a way to sign in. */
  ready(who: Registered): Promise<() => Promise<Answered>>;
  /** How many of what it adds the account has. */
  held(who: Registered): Promise<number>;
}

const passkeys: Addition['held'] = async ({ bed, id }) => (await bed.system.accounts.factors.passkeys(id)).length;
const identities: Addition['held'] = async ({ bed, id }) => (await bed.system.accounts.identities.of(id)).length;
const sessions: Addition['held'] = async ({ bed, id }) => (await bed.system.state.sessions.of(id)).length;

/** Everything that opens an account without its password, and that a reset removes of an account whose address was not verified. */
const removed: Readonly<Record<string, Addition>> = {
  'a passkey': {
    ready: async ({ bed, token }) => {
      const key = new SoftwareAuthenticator('https://library.example.test');
      const begun = await bed.ask('webauthn_register_begin', { token, body: { password: goodPassword } });
      const body = { credential: key.create(begun.body.publicKey) };
      return () => bed.ask('webauthn_register_finish', { token, body });
    },
    held: passkeys,
  },
  'an identity that is linked': {
    ready: async ({ bed, token }) => {
      const begun = await bed.ask('link_account', { token, params: { provider: 'company' } });
      const cookie = begun.headers['set-cookie']?.split(';')[0] ?? '';
      const back = provider.signIn(begun.body.authorization_url, 'eve');
      return () => comeBack(bed, back, cookie);
    },
    held: identities,
  },
  'a session by an identity': {
    ready: async ({ bed, token }) => {
      const begun = await bed.ask('link_account', { token, params: { provider: 'company' } });
      const linking = begun.headers['set-cookie']?.split(';')[0] ?? '';
      await comeBack(bed, provider.signIn(begun.body.authorization_url, 'eve'), linking);
      const { url, cookie } = await start(bed);
      const back = provider.signIn(url, 'eve');
      return () => comeBack(bed, back, cookie);
    },
    held: sessions,
  },
};

describe('S-19: a reset that verifies the address', () => {
  test.each(Object.entries(removed))('leaves nothing of %s at the same time, in any order', async (_, added) => {
    const left: number[] = [];
    for (let number = 1, isOver = false; !isOver; number++) {
      const who = await registered();
      const add = await added.ready(who);
      const { calls } = beforeCall(who.bed, number, async () => {
        const body = { token: who.reset, new_password: better };
        expect((await who.bed.ask('password_reset', { body })).status).toBe(200);
      });
      await add();
      left.push(await added.held(who));
      isOver = calls() < number;
    }
    // In the last round there was no reset.
    expect(left.length).toBeGreaterThan(3);
    expect(left.pop()).toBeGreaterThan(0);
    expect(left).toEqual(left.map(() => 0));
  });
});

test('S-19: an authenticator app is not enrolled in a session that has ended', async () => {
  const { bed, id, token } = await registered();
  const { provisioning_uri: address } = (await bed.ask('mfa_setup', { token, body: { password: goodPassword } })).body;
  const { factors } = bed.system.accounts;
  const confirm = factors.confirmTotp.bind(factors);
  factors.confirmTotp = async (...asked) => {
    await bed.system.state.sessions.endAll(id);
    return confirm(...asked);
  };
  const answer = await bed.ask('mfa_verify', { token, body: { code: new App(address, bed.clock).code() } });
  expect([answer.status, answer.body.error?.code, await factors.totp(id)]).toEqual([401, 'session_expired', undefined]);
  expect(bed.recorded.at(-1)).toMatchObject({ event: 'mfa_enabled', success: false, reason: 'session_expired' });
});

test('S-19: an old password confirms nothing once the session has ended', async () => {
  const { bed, id, token } = await registered();
  const { hashes, state } = bed.system;
  const verify = hashes.verify.bind(hashes);
  hashes.verify = async (...asked) => {
    const verified = await verify(...asked);
    await state.sessions.endAll(id);
    return verified;
  };
  const answer = await bed.ask('mfa_setup', { token, body: { password: goodPassword } });
  expect([answer.status, answer.body.error?.code]).toEqual([401, 'session_expired']);
});
