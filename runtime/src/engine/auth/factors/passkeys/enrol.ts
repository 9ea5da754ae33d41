import { createHash } from 'node:crypto';
import type { PublicKeyCredentialCreationOptionsJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Client } from '../../client.ts';
import { Refusal } from '../../refusal.ts';
import type { Account } from '../../store/accounts.ts';
import type { Passkey } from '../../store/factors.ts';
import type { Session } from '../../store/sessions.ts';
import type { AuthSystem } from '../../system.ts';
import { recordFactor } from '../change.ts';
import { completeEnrolment } from '../enrolled.ts';
import { beginCeremony, takeCeremony } from './ceremony.ts';
import type { CredentialJson } from './credential.ts';
import { requiredRelyingParty, webauthnSettings } from './relying-party.ts';

/** Passkeys of one account. */
const most = 20;
/** EdDSA, ES256 and RS256 (RFC 9053, RFC 8812): what every authenticator has. */
const algorithms = [-8, -7, -257];

/** What `navigator.credentials.create` is given. */
export async function creationOptions(
  account: Account,
  client: Client,
  system: AuthSystem,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await import('@simplewebauthn/server');
  const { settings, serviceName, accounts } = system;
  const party = requiredRelyingParty(settings);
  const { attestation, user_verification: userVerification, timeout } = webauthnSettings(settings);
  const held = await accounts.factors.passkeys(account.id);
  if (held.length >= most) throw full();
  const challenge = await beginCeremony('passkey-create', { accountId: account.id }, client, timeout, system);
  const { name } = account.metadata;
  const options = await generateRegistrationOptions({
    rpID: party.id,
    rpName: party.name ?? serviceName,
    userID: userHandle(account.id),
    userName: account.email,
    userDisplayName: typeof name === 'string' && name !== '' ? name : account.email,
    challenge,
    timeout,
    excludeCredentials: held.map(({ id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'preferred', userVerification },
    supportedAlgorithmIDs: algorithms,
  });
  return { ...options, attestation };
}

/** Who enrols or removes a passkey. */
export interface PasskeyRequest {
  readonly account: Account;
  readonly session: Session;
  readonly client: Client;
}

/**
 * Verifies what an authenticator made and keeps it. Gives the first recovery codes of an account. The session is one in
 * which a factor was proved. Throws a Refusal.
 */
export async function enrolPasskey(
  { account, session, client }: PasskeyRequest,
  credential: CredentialJson,
  name: string,
  system: AuthSystem,
): Promise<{ readonly passkey: Passkey; readonly recoveryCodes: readonly string[] | undefined }> {
  const { accounts, settings } = system;
  const { timeout } = webauthnSettings(settings);
  const ceremony = await takeCeremony('passkey-create', credential.challenge, system);
  if (ceremony === undefined || ceremony.accountId !== account.id)
    throw new Refusal(400, 'invalid_challenge', `This was not asked for, or more than ${timeout / 1000} s ago.`);
  const passkey = await made(credential, name, system);
  const taken = () => new Refusal(409, 'passkey_exists', 'This passkey belongs to an account already.');
  if ((await accounts.factors.passkey(passkey.id)) !== undefined) throw taken();
  await recordFactor(account, { event: 'mfa_enabled', method: 'webauthn', client }, system);
  const outcome = await accounts.factors.addPasskey(account.id, passkey, most);
  if (outcome === 'taken') throw taken();
  if (outcome === 'full') throw full();
  const remove = () => accounts.factors.removePasskey(account.id, passkey.id);
  const enrolled = { account, session, client, method: 'webauthn', remove } as const;
  return { passkey, recoveryCodes: await completeEnrolment(enrolled, system) };
}

async function made({ whole, response }: CredentialJson, name: string, system: AuthSystem): Promise<Passkey> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server');
  const { settings, clock, log } = system;
  const party = requiredRelyingParty(settings);
  const { user_verification: verification } = webauthnSettings(settings);
  try {
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: whole as unknown as RegistrationResponseJSON,
      // The challenge was found among those that were given out.
      expectedChallenge: () => true,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      requireUserVerification: verification === 'required',
      supportedAlgorithmIDs: algorithms,
    });
    if (verified) {
      const { credential, aaguid, credentialDeviceType, credentialBackedUp } = registrationInfo;
      return {
        id: credential.id,
        publicKey: Buffer.from(credential.publicKey).toString('base64url'),
        counter: credential.counter,
        name,
        transports: transportsOf(response['transports']),
        aaguid,
        backupEligible: credentialDeviceType === 'multiDevice',
        backedUp: credentialBackedUp,
        createdAt: clock.now(),
        lastUsedAt: undefined,
      };
    }
  } catch (error) {
    log.info('a passkey was refused at its enrolment', { reason: (error as Error).message });
  }
  throw new Refusal(400, 'invalid_response', 'The passkey could not be verified.');
}

/** 256 bits that say nothing about the account (WebAuthn Level 3, section 14.6.1). */
export function userHandle(accountId: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(`passkeys of ${accountId}`).digest());
}

function transportsOf(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is string => typeof each === 'string' && /^[a-z-]{1,20}$/.test(each)).slice(0, 8);
}

function full(): Refusal {
  return new Refusal(400, 'mfa_error', `This account has ${most} passkeys; remove one first.`);
}
