import { toJson } from '@svc/protocol/cel';
import type { Client } from '../client.ts';
import { dropChallenges } from '../factors/challenge.ts';
import { refuseUnfit } from '../passwords/new-password.ts';
import { outdatedSignIn, Refusal } from '../refusal.ts';
import { credentialed, startSession } from '../sessions/start.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { type TokenPair, Tokens } from '../tokens/tokens.ts';

export interface Registration {
  /** Normalised. */
  readonly email: string;
  readonly password: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly client: Client;
  readonly signal: AbortSignal | undefined;
}

/**
 * Makes an account and signs in with it. The password is hashed before the address is looked at, so that the time of the
 * answer says nothing; that an address is taken is counted, and is not a failed sign-in. Throws a Refusal.
 */
export async function register(
  asked: Registration,
  system: AuthSystem,
): Promise<{ account: Account; tokens: TokenPair }> {
  const { email, password, metadata, client, signal } = asked;
  const { accounts, hashes, hooks, lockout } = system;
  await refuseUnfit(password, email, undefined, system, signal);
  const attempt = await lockout.beginRegistration(client.ip, signal);
  let made: Account | undefined;
  let isNumbered = false;
  try {
    const account = newAccount(email, await hashes.hash(password, signal), metadata, [], system);
    const id = await accounts.create(account);
    if (id !== undefined) made = { ...account, id };
    isNumbered = id !== account.id;
  } catch (error) {
    await attempt.withdrawn();
    throw error;
  }
  if (made === undefined) {
    await attempt.failed();
    throw new Refusal(400, 'user_exists', 'There is an account with this address already.');
  }
  await attempt.withdrawn();
  const tokens = await signInFirst(made, isNumbered, client, system);
  hooks.after('after_register', { user_id: made.id, email });
  return { account: made, tokens };
}

/**
 * Records the account and begins its first session. When that fails, the account is removed, so that the caller, who is
 * answered 503, can register again, unless another client has signed in to it meanwhile: no account that was answered is removed.
 */
async function signInFirst(
  account: Account,
  isNumbered: boolean,
  client: Client,
  system: AuthSystem,
): Promise<TokenPair> {
  const { audit, accounts, sessions, devices, log } = system;
  const { id, email } = account;
  const record = { event: 'register', user_id: id, email, client, metadata: {} } as const;
  let isRecorded = false;
  try {
    await audit.record({ ...record, success: true, reason: undefined });
    isRecorded = true;
    if (isNumbered) await endFormer(id, system);
    const made = await credentialed(id, system);
    if (made === undefined || made.account.locked) throw outdatedSignIn();
    const tokens = await startSession(made, client, system);
    await devices?.accept(account, client);
    return tokens;
  } catch (error) {
    const isTakenBack = await accounts.takeBack(id).catch((failure: unknown) => {
      log.error('an account was made and could not be signed in; it stays', { user_id: id, error: failure });
      return true;
    });
    // A session that could be begun all the same has no tokens, and ends with its time. Those of who signed in meanwhile stay.
    if (isTakenBack) await sessions.store.endAll(id).catch(() => undefined);
    if (isRecorded && isTakenBack)
      await audit.record({ ...record, success: false, reason: 'unavailable' }).catch(() => undefined);
    throw error;
  }
}

/**
 * Ends what a former account with this id has left. A table that numbers its rows may give the number of an account that was
 * removed, whose sessions, links and waiting sign-ins may be there still.
 */
export async function endFormer(
  id: string,
  { state, sessions }: Pick<AuthSystem, 'state' | 'sessions'>,
): Promise<void> {
  await state.tickets.dropAll('reset', id);
  await dropChallenges(id, { state });
  await sessions.store.endAll(id);
}

/** An account that does not exist yet. */
export function newAccount(
  email: string,
  passwordHash: string | undefined,
  metadata: Readonly<Record<string, unknown>>,
  roles: readonly string[],
  { clock }: Pick<AuthSystem, 'clock'>,
): Account {
  const now = clock.now();
  return {
    id: Tokens.newId(),
    email,
    passwordHash,
    createdAt: now,
    updatedAt: now,
    passwordChangedAt: passwordHash === undefined ? undefined : now,
    roles,
    mfaEnabled: false,
    emailVerified: false,
    // Stores keep JSON, in which integers beyond 2^53-1 are texts.
    metadata: toJson(metadata) as Account['metadata'],
    lastLoginAt: undefined,
    locked: false,
  };
}
