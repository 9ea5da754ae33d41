import type { AuthenticationResponseJSON, PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server';
import type { Client } from '../../client.ts';
import type { Account } from '../../store/accounts.ts';
import type { Passkey } from '../../store/factors.ts';
import type { AuthSystem } from '../../system.ts';
import { beginCeremony, takeCeremony } from './ceremony.ts';
import type { CredentialJson } from './credential.ts';
import { decoysOf } from './decoys.ts';
import { userHandle } from './enrol.ts';
import { requiredRelyingParty, webauthnSettings } from './relying-party.ts';

/** Whose passkeys are asked for: those of an account, of an address that may be unknown, or whichever the person chooses. */
export type Wanted = { readonly account: Account } | { readonly email: string } | undefined;

/** What `navigator.credentials.get` is given. It looks the same for addresses with and without passkeys. */
export async function requestOptions(
  wanted: Wanted,
  client: Client,
  system: AuthSystem,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await import('@simplewebauthn/server');
  const { settings } = system;
  const { user_verification: userVerification, timeout } = webauthnSettings(settings);
  const { accountId, shown } = await passkeysOf(wanted, system);
  const challenge = await beginCeremony('passkey-get', { accountId }, client, timeout, system);
  return generateAuthenticationOptions({
    rpID: requiredRelyingParty(settings).id,
    challenge,
    timeout,
    userVerification,
    ...(shown !== undefined && {
      allowCredentials: shown.map(({ id, transports }) => ({ id, transports: [...transports] })),
    }),
  });
}

async function passkeysOf(
  wanted: Wanted,
  system: AuthSystem,
): Promise<{
  readonly accountId: string | undefined;
  readonly shown: readonly Pick<Passkey, 'id' | 'transports'>[] | undefined;
}> {
  if (wanted === undefined) return { accountId: undefined, shown: undefined };
  const { accounts } = system;
  if ('account' in wanted)
    return { accountId: wanted.account.id, shown: await accounts.factors.passkeys(wanted.account.id) };
  // The same requests and the same work, whether there is an account or not.
  const account = await accounts.byEmail(wanted.email);
  const held = await accounts.factors.passkeys(account?.id ?? '');
  const decoys = await decoysOf(wanted.email, system);
  return { accountId: account?.id ?? '', shown: held.length > 0 ? held : decoys };
}

/** A passkey that was proved. */
export interface Proved {
  readonly account: Account;
  readonly passkey: Passkey;
  /** Whether the authenticator verified its user. */
  readonly userVerified: boolean;
}

/** Why an assertion proves nothing: the account that it claims, where there is one, and whether a copy of its passkey made it. */
export interface Unproved {
  readonly account: Account | undefined;
  readonly cloned: boolean;
}

/** Verifies an assertion; its challenge is over with that. `of`: the account that it must be of. */
export async function proveAssertion(
  credential: CredentialJson,
  of: string | undefined,
  system: AuthSystem,
): Promise<Proved | Unproved> {
  const { accounts, clock } = system;
  const ceremony = await takeCeremony('passkey-get', credential.challenge, system);
  const found = await accounts.factors.passkey(credential.id);
  // An id that belongs to no passkey takes the same requests and the same work.
  const account = await accounts.byId(found?.accountId ?? '');
  const unproved = { account, cloned: false };
  const said = await verified(credential, found?.passkey ?? unknown, account?.id ?? '', system);
  if (ceremony === undefined || found === undefined || account === undefined || said === undefined) return unproved;
  if ((ceremony.accountId ?? account.id) !== account.id || (of ?? account.id) !== account.id) return unproved;
  const { counter: from } = found.passkey;
  const isCloned = (from > 0 || said.counter > 0) && said.counter <= from;
  const use = { from, counter: said.counter, backedUp: said.backedUp, at: clock.now() };
  if (isCloned || !(await accounts.factors.usePasskey(credential.id, use))) return { account, cloned: isCloned };
  return { account, passkey: found.passkey, userVerified: said.userVerified };
}

/** What is compared where an id belongs to no passkey: any valid key, here the generator of P-256. The outcome never counts. */
const unknown: Pick<Passkey, 'id' | 'publicKey' | 'backupEligible'> = {
  id: 'AA',
  publicKey: 'pQECAyYgASFYIGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWIlggT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU',
  backupEligible: false,
};

interface Said {
  readonly counter: number;
  readonly backedUp: boolean;
  readonly userVerified: boolean;
}

async function verified(
  { whole, response }: CredentialJson,
  { id, publicKey, backupEligible }: Pick<Passkey, 'id' | 'publicKey' | 'backupEligible'>,
  accountId: string,
  { settings, log }: AuthSystem,
): Promise<Said | undefined> {
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server');
  const party = requiredRelyingParty(settings);
  const { user_verification: verification } = webauthnSettings(settings);
  const handle = response['userHandle'];
  const refused = (reason: string) => log.info('a passkey was refused at a sign-in', { user_id: accountId, reason });
  if (typeof handle === 'string' && handle !== Buffer.from(userHandle(accountId)).toString('base64url')) {
    refused('its user handle is that of another account');
    return undefined;
  }
  try {
    const { verified: isRight, authenticationInfo } = await verifyAuthenticationResponse({
      response: whole as unknown as AuthenticationResponseJSON,
      // The challenge was found among those that were given out.
      expectedChallenge: () => true,
      expectedOrigin: [...party.origins],
      expectedRPID: party.id,
      // The counter is compared by the caller, to whom a copy is another matter than a wrong signature.
      credential: { id, publicKey: new Uint8Array(Buffer.from(publicKey, 'base64url')), counter: 0 },
      requireUserVerification: verification === 'required',
    });
    const {
      newCounter: counter,
      userVerified,
      credentialDeviceType,
      credentialBackedUp: backedUp,
    } = authenticationInfo;
    if (isRight && (credentialDeviceType === 'multiDevice') === backupEligible)
      return { counter, backedUp, userVerified };
    refused(isRight ? 'it says something else of its backups than at its enrolment' : 'its signature is wrong');
  } catch (error) {
    refused((error as Error).message);
  }
  return undefined;
}
