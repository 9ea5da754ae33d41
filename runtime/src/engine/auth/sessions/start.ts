import type { Client } from '../client.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';
import { factsOf } from './facts.ts';

/** An account as it was read after the generation of its credentials: what is proved of it holds for that generation. */
export interface Credentialed {
  readonly account: Account;
  readonly generation: string;
}

/** Reads an account for a sign-in; undefined where it does not exist. An id of no account takes the same round trips. */
export async function credentialed(
  accountId: string,
  { accounts, sessions }: Pick<AuthSystem, 'accounts' | 'sessions'>,
): Promise<Credentialed | undefined> {
  const generation = await sessions.store.generation(accountId);
  const account = await accounts.byId(accountId);
  return account && { account, generation };
}

/**
 * Begins a session of an account and makes its tokens. `mfaAt`: when a factor was proved, in milliseconds since 1970.
 * Throws a Refusal where the account has too many, or was changed since it was read.
 */
export async function startSession(
  { account, generation }: Credentialed,
  client: Client,
  system: AuthSystem,
  mfaAt?: number,
): Promise<TokenPair> {
  const { sessions, tokens } = system;
  const session = await sessions.begin(account, client, await factsOf(account, system, mfaAt), generation);
  return tokens.issue(account, session.id, session.refreshId);
}
