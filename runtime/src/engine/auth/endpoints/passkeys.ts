import { pendingSignIn } from '../factors/challenge.ts';
import { requestOptions, type Wanted } from '../factors/passkeys/assertion.ts';
import { credentialJson } from '../factors/passkeys/credential.ts';
import { creationOptions, enrolPasskey } from '../factors/passkeys/enrol.ts';
import { removePasskey } from '../factors/passkeys/remove.ts';
import { signInByPasskey } from '../factors/passkeys/sign-in.ts';
import { confirmOwnerOrFactor } from '../passwords/confirm.ts';
import { Refusal } from '../refusal.ts';
import type { Passkey } from '../store/factors.ts';
import type { AuthSystem } from '../system.ts';
import { completedView, emailOfSignIn } from './account.ts';
import type { EndpointBody } from './body.ts';
import type { Endpoint, EndpointRequest } from './endpoint.ts';
import { shownOnce } from './factors.ts';

/** Characters of the name of a passkey. */
const longestName = 64;

const registerBegin: Endpoint = {
  name: 'webauthn_register_begin',
  bucket: 'other',
  signedIn: true,
  evenUnenrolled: true,
  async answer({ caller, client, signal, body }, system) {
    const { account, session } = caller();
    const password = (await body()).optionalText('password');
    await confirmOwnerOrFactor({ account, session, password, client, signal }, system);
    return { body: { publicKey: await creationOptions(account, client, system) } };
  },
};

const registerFinish: Endpoint = {
  name: 'webauthn_register_finish',
  bucket: 'other',
  signedIn: true,
  evenUnenrolled: true,
  async answer({ caller, client, body }, system) {
    const members = await body();
    const credential = credentialJson(members.optionalObject('credential'));
    const name = (members.optionalText('name') ?? 'passkey').slice(0, longestName).toWellFormed();
    const { passkey, recoveryCodes } = await enrolPasskey({ ...caller(), client }, credential, name, system);
    const shown = recoveryCodes && { recovery_codes: recoveryCodes, note: shownOnce };
    return { status: 201, body: { registered: true, ...passkeyView(passkey), ...shown } };
  },
};

const loginBegin: Endpoint = {
  name: 'webauthn_login_begin',
  bucket: 'login',
  signedIn: false,
  async answer(request, system) {
    const wanted = await wantedOf(await request.body(), request, system);
    return { body: { publicKey: await requestOptions(wanted, request.client, system) } };
  },
};

const loginFinish: Endpoint = {
  name: 'webauthn_login_finish',
  bucket: 'login',
  signedIn: false,
  async answer({ client, signal, body }, system) {
    const members = await body();
    const credential = credentialJson(members.optionalObject('credential'));
    const deviceId = members.optionalText('device_id');
    const asked = { credential, client: { ...client, deviceId }, signal };
    return { body: await completedView(await signInByPasskey(asked, system), system) };
  },
};

const credentials: Endpoint = {
  name: 'webauthn_credentials',
  bucket: 'sessions',
  signedIn: true,
  async answer({ caller }, { accounts }) {
    const held = await accounts.factors.passkeys(caller().account.id);
    return { body: { credentials: held.map(passkeyView) } };
  },
};

const remove: Endpoint = {
  name: 'webauthn_remove',
  bucket: 'other',
  signedIn: true,
  async answer({ caller, client, signal, params, body }, system) {
    const { account, session } = caller();
    const password = (await body()).optionalText('password');
    await confirmOwnerOrFactor({ account, session, password, client, signal }, system);
    await removePasskey({ account, session, client }, params['id'] ?? '', system);
    return { body: { removed: true } };
  },
};

export const passkeyEndpoints: readonly Endpoint[] = [
  registerBegin,
  registerFinish,
  loginBegin,
  loginFinish,
  credentials,
  remove,
];

/** With `mfa_token` the account that waits for a factor, with `email` that of the address, else any. */
async function wantedOf(members: EndpointBody, { client }: EndpointRequest, system: AuthSystem): Promise<Wanted> {
  const token = members.optionalText('mfa_token');
  if (token !== undefined) {
    const pending = await pendingSignIn(token, client, system);
    if (pending === undefined)
      throw new Refusal(401, 'invalid_mfa_token', 'This sign-in is over; begin again with the password.');
    return { account: pending.account };
  }
  const email = members.optionalText('email');
  if (email === undefined) return undefined;
  return { email: emailOfSignIn(email) };
}

function passkeyView({ id, name, createdAt, lastUsedAt, backedUp }: Passkey): Readonly<Record<string, unknown>> {
  return {
    id,
    name,
    created_at: new Date(createdAt).toISOString(),
    ...(lastUsedAt !== undefined && { last_used_at: new Date(lastUsedAt).toISOString() }),
    backed_up: backedUp,
  };
}
