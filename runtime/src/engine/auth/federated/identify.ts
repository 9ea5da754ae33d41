import { endFormer, newAccount } from '../accounts/register.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { LinkedIdentity } from '../store/identities.ts';
import type { AuthSystem } from '../system.ts';
import type { IdentityProfile } from './profile.ts';

/** What became of an identity: its account was made, was known, or was linked now. */
export type Action = 'created' | 'existing' | 'linked';

export interface Identified {
  readonly account: Account;
  readonly action: Action;
}

/** Records what becomes of an identity. Where it must be recorded and cannot be, it does not happen. */
export type RecordIdentity = (event: 'register' | 'account_linked', account: Account) => Promise<void>;

/** Who a provider says a person is, and the provider's name. */
export interface ProvedIdentity {
  readonly provider: string;
  readonly profile: IdentityProfile;
}

/**
 * The account of an identity (docs/specification/sign-in.md#identity-providers): the one that it is linked to; else the one
 * with its address, where both sides have verified that; else a new one. Throws a Refusal.
 */
export async function identify(
  proved: ProvedIdentity,
  record: RecordIdentity,
  system: AuthSystem,
): Promise<Identified> {
  // A second browser may link or make it meanwhile: then it is found.
  for (let attempt = 0; attempt < 5; attempt++) {
    const known = await linkedAccount(proved, system);
    if (known !== undefined) return { account: known, action: 'existing' };
    const matching = await matched(proved.profile, system);
    const found =
      matching === undefined ? await made(proved, record, system) : await linkedTo(matching, proved, record, system);
    if (found !== undefined) return found;
  }
  // No account is written so, and none can be made: the database finds another address equal to it.
  throw addressTaken();
}

const addressTaken = () =>
  new Refusal(
    401,
    'sso_failed',
    'There is an account with this address: sign in to it as usual, and link the identity there.',
  );

/** The account that an identity is linked to; what the provider says of it replaces what it said before. */
async function linkedAccount(
  { profile }: ProvedIdentity,
  { accounts, clock }: AuthSystem,
): Promise<Account | undefined> {
  const { issuer, subject, email = '', name, picture } = profile;
  const found = await accounts.identities.find(issuer, subject);
  if (found === undefined) return undefined;
  const account = await accounts.byId(found.accountId);
  if (account === undefined) {
    // Another program removed the account: its identities, factors and devices are left over.
    await accounts.removeRemains(found.accountId);
    return undefined;
  }
  await accounts.identities.update(issuer, subject, { email, name, picture, updatedAt: clock.now() });
  return account;
}

/** The account with the address of an identity, to be linked to it; undefined where there is no such account. */
async function matched(
  { email, emailVerified }: IdentityProfile,
  { accounts, settings }: AuthSystem,
): Promise<Account | undefined> {
  if (email === undefined)
    throw new Refusal(401, 'sso_failed', 'The provider gives no e-mail address, which an account needs.');
  const account = await accounts.byEmail(email);
  if (account === undefined) return undefined;
  const { enabled, match_by: by, on_match: onMatch } = settings.linking;
  if (enabled && by === 'email' && onMatch === 'link' && emailVerified && account.emailVerified) return account;
  throw addressTaken();
}

async function linkedTo(
  account: Account,
  proved: ProvedIdentity,
  record: RecordIdentity,
  { accounts, clock }: AuthSystem,
): Promise<Identified | undefined> {
  await record('account_linked', account);
  const isLinked = await accounts.identities.link(account.id, identityOf(proved, clock.now()));
  return isLinked ? { account, action: 'linked' } : undefined;
}

async function made(
  proved: ProvedIdentity,
  record: RecordIdentity,
  system: AuthSystem,
): Promise<Identified | undefined> {
  const { accounts, clock } = system;
  const { email, emailVerified, name, picture, further } = proved.profile;
  const metadata = { ...further, ...(name !== '' && { name }), ...(picture !== '' && { picture }) };
  const account = { ...newAccount(email as string, undefined, metadata, [], system), emailVerified };
  const id = await accounts.create(account, identityOf(proved, clock.now()));
  if (id === undefined) return undefined;
  const kept = { ...account, id };
  try {
    if (id !== account.id) await endFormer(id, system);
    await record('register', kept);
  } catch (error) {
    // Another browser may have signed in with the identity meanwhile.
    await accounts.takeBack(id);
    throw error;
  }
  return { account: kept, action: 'created' };
}

/** An identity as it is linked now. */
export function identityOf({ provider, profile }: ProvedIdentity, now: number): LinkedIdentity {
  const { issuer, subject, email = '', name, picture } = profile;
  return { provider, issuer, subject, email, name, picture, linkedAt: now, updatedAt: now };
}
