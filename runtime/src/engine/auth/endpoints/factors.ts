import { signIn } from '../accounts/sign-in.ts';
import { completeChallenge } from '../factors/complete.ts';
import { enrolTotp, removeTotp, renewRecoveryCodes, setUpTotp, stepUp } from '../factors/enrol.ts';
import { credentialJson } from '../factors/passkeys/credential.ts';
import { provePasskey } from '../factors/passkeys/sign-in.ts';
import { holdsFactor } from '../factors/policy.ts';
import { type Prove, proveCode, proveRecoveryCode } from '../factors/prove.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSystem } from '../system.ts';
import { completedView, emailOfSignIn } from './account.ts';
import { invalid } from './body.ts';
import type { Endpoint, EndpointAnswer, EndpointRequest } from './endpoint.ts';

export const shownOnce = 'Keep these codes: each signs you in once without your factor, and they are not shown again.';

const setupEndpoint: Endpoint = {
  name: 'mfa_setup',
  bucket: 'other',
  signedIn: true,
  evenUnenrolled: true,
  async answer({ caller, client, signal, body }, system) {
    const password = (await body()).optionalText('password');
    const { secret, qrCode, provisioningUri } = await setUpTotp({ ...caller(), password, client, signal }, system);
    return { body: { method: 'totp', secret, qr_code: qrCode, provisioning_uri: provisioningUri } };
  },
};

const verifyEndpoint: Endpoint = {
  name: 'mfa_verify',
  bucket: 'other',
  signedIn: 'optional',
  evenUnenrolled: true,
  async answer(request, system) {
    const members = await request.body();
    const token = members.optionalText('mfa_token');
    const assertion = members.optionalObject('credential');
    const { client, signal } = request;
    if (assertion !== undefined) {
      const prove = provePasskey(credentialJson(assertion), client, system);
      if (token === undefined) return steppedUp(request, prove, system);
      return { body: await completedView(await completeChallenge(token, client, prove, system, signal), system) };
    }
    const code = members.optionalText('code') ?? '';
    if (code === '') throw invalid('`code` is required.');
    if (token === undefined) return verifiedInSession(request, code, system);
    const signedIn = await completeChallenge(token, client, proveCode(code, system, signal), system, signal);
    return { body: await completedView(signedIn, system) };
  },
};

/** Confirms an enrolment that was begun, else proves a factor again. */
async function verifiedInSession(request: EndpointRequest, code: string, system: AuthSystem): Promise<EndpointAnswer> {
  const { caller, client, signal } = request;
  const asked = { ...caller(), client, signal };
  const { factors } = system.accounts;
  const begun = await factors.totp(asked.account.id);
  const holds = begun?.confirmedAt === undefined && holdsFactor(await factors.held(asked.account.id));
  // No app makes codes of letters: such a one proves the factor that the account has besides.
  if (begun !== undefined && begun.confirmedAt === undefined && !(holds && /[A-Za-z]/.test(code))) {
    const { recoveryCodes } = await enrolTotp(asked, begun, code, system);
    const shown = recoveryCodes && { recovery_codes: recoveryCodes, note: shownOnce };
    return { body: { enabled: true, ...shown } };
  }
  if (begun === undefined && !holds) throw new Refusal(400, 'mfa_error', 'Begin an enrolment first.');
  return steppedUp(request, proveCode(code, system, signal), system);
}

/** Proves a factor again in a session. */
async function steppedUp(
  { caller, client, signal }: EndpointRequest,
  prove: Prove,
  system: AuthSystem,
): Promise<EndpointAnswer> {
  const { recoveryCodesLeft: left } = await stepUp({ ...caller(), client, signal }, prove, system);
  return { body: { verified: true, ...(left !== undefined && { recovery_codes_left: left }) } };
}

const disableEndpoint: Endpoint = {
  name: 'mfa_disable',
  bucket: 'other',
  signedIn: true,
  async answer({ caller, client, signal, body }, system) {
    const password = (await body()).optionalText('password');
    await removeTotp({ ...caller(), password, client, signal }, system);
    return { body: { enabled: false } };
  },
};

const recoveryEndpoint: Endpoint = {
  name: 'mfa_recovery',
  bucket: 'login',
  signedIn: false,
  async answer({ client, signal, body }, system) {
    const members = await body();
    const prove = proveRecoveryCode(members.text('code'), system, signal);
    const token = members.optionalText('mfa_token');
    if (token !== undefined)
      return { body: await completedView(await completeChallenge(token, client, prove, system, signal), system) };
    const [written, password] = [members.optionalText('email') ?? '', members.optionalText('password') ?? ''];
    if (written === '' || password === '') throw invalid('`mfa_token`, or `email` and `password` are required.');
    const email = emailOfSignIn(written);
    const sender = { ...client, deviceId: members.optionalText('device_id') };
    const signedIn = await signIn({ email, password, prove, mustProve: true, client: sender, signal }, system);
    return { body: await completedView(signedIn, system) };
  },
};

const recoveryCodesEndpoint: Endpoint = {
  name: 'mfa_recovery_codes',
  bucket: 'other',
  signedIn: true,
  async answer({ caller, client, signal, body }, system) {
    const password = (await body()).optionalText('password');
    const codes = await renewRecoveryCodes({ ...caller(), password, client, signal }, system);
    return { body: { recovery_codes: codes, note: shownOnce } };
  },
};

export const factorEndpoints: readonly Endpoint[] = [
  setupEndpoint,
  verifyEndpoint,
  disableEndpoint,
  recoveryEndpoint,
  recoveryCodesEndpoint,
];
