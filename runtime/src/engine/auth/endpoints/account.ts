import { encodeJson } from '../../../platform/formats/json.ts';
import type { SignedIn } from '../accounts/complete.ts';
import { normalisedEmail } from '../accounts/email.ts';
import { register } from '../accounts/register.ts';
import { signIn } from '../accounts/sign-in.ts';
import { userView } from '../accounts/user-view.ts';
import { proveCode } from '../factors/prove.ts';
import { refresh } from '../sessions/refresh.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';
import { type EndpointBody, invalid } from './body.ts';
import type { Endpoint } from './endpoint.ts';

/** Bytes of the metadata of an account as JSON. */
const maxMetadata = 8_192;

const registerEndpoint: Endpoint = {
  name: 'register',
  bucket: 'register',
  signedIn: false,
  async answer({ client, signal, body }, system) {
    const members = await body();
    const email = normalisedEmail(members.text('email'));
    if (email === undefined) throw invalid('`email` is not an e-mail address.');
    const asked = { email, password: members.text('password'), metadata: metadataOf(members), client, signal };
    const { account, tokens } = await register(asked, system);
    return { status: 201, body: await signedInView(account, tokens, system) };
  },
};

const loginEndpoint: Endpoint = {
  name: 'login',
  bucket: 'login',
  signedIn: false,
  async answer({ client, signal, body }, system) {
    const members = await body();
    const email = emailOfSignIn(members.text('email'));
    const password = members.text('password');
    const deviceId = members.optionalText('device_id');
    const code = members.optionalText('mfa_code');
    const prove = code === undefined ? undefined : proveCode(code, system, signal);
    const signedIn = await signIn({ email, password, prove, client: { ...client, deviceId }, signal }, system);
    return { body: await completedView(signedIn, system) };
  },
};

const refreshEndpoint: Endpoint = {
  name: 'refresh',
  bucket: 'refresh',
  signedIn: false,
  async answer({ client, body }, system) {
    const { account, tokens } = await refresh((await body()).text('refresh_token'), client, system);
    return { body: await signedInView(account, tokens, system) };
  },
};

const logoutEndpoint: Endpoint = {
  name: 'logout',
  bucket: 'logout',
  signedIn: true,
  evenExpired: true,
  async answer({ client, caller }, { sessions, audit }) {
    const { account, session } = caller();
    await sessions.store.end(session.id, account.id);
    const who = { user_id: account.id, email: account.email };
    const metadata = { session_id: session.id };
    await audit.record({ event: 'logout', ...who, client, success: true, reason: undefined, metadata });
    return { body: { message: 'Signed out.' } };
  },
};

const meEndpoint: Endpoint = {
  name: 'me',
  bucket: 'sessions',
  signedIn: true,
  answerVouched: ({ user_id: id, email, roles, claims }) => ({
    body: {
      id,
      email,
      ...(roles.length > 0 && { roles }),
      metadata: { auth_provider: claims['auth_provider'] },
    },
  }),
  async answer({ caller }, system) {
    const { account } = caller();
    return { body: await userView(account, system) };
  },
};

export const accountEndpoints: readonly Endpoint[] = [
  registerEndpoint,
  loginEndpoint,
  refreshEndpoint,
  logoutEndpoint,
  meEndpoint,
];

async function signedInView(account: Account, tokens: TokenPair, system: AuthSystem) {
  return { user: await userView(account, system), ...tokens };
}

/** What every kind of sign-in answers. */
export async function completedView(
  signedIn: SignedIn,
  system: AuthSystem,
): Promise<Readonly<Record<string, unknown>>> {
  const { account, tokens, passwordExpired, passwordExpiresAt, duty, recoveryCodesLeft } = signedIn;
  return {
    ...(await signedInView(account, tokens, system)),
    ...(recoveryCodesLeft !== undefined && { recovery_codes_left: recoveryCodesLeft }),
    ...(passwordExpired && { password_expired: true }),
    ...(passwordExpiresAt !== undefined && { password_expires_at: new Date(passwordExpiresAt).toISOString() }),
    ...(duty?.dueAt !== undefined && {
      mfa_enrolment_required: true,
      mfa_factors_wanted: duty.wanted,
      mfa_factors_held: duty.held,
      ...(system.settings.mfa.grace_period > 0 && { mfa_grace_until: new Date(duty.dueAt).toISOString() }),
    }),
  };
}

/** What is not an address belongs to no account; it takes the same work as one that is. */
export function emailOfSignIn(written: string): string {
  return normalisedEmail(written) ?? written.toLowerCase().slice(0, 254);
}

function metadataOf(members: EndpointBody): Readonly<Record<string, unknown>> {
  const name = members.optionalText('name');
  const metadata = { ...members.optionalObject('metadata'), ...(name !== undefined && name !== '' && { name }) };
  if (Buffer.byteLength(encodeJson(metadata)) > maxMetadata) throw invalid('`metadata` is too large.');
  return metadata;
}
