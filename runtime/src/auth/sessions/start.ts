import type { Client } from '../client.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';
import { factsOf } from './facts.ts';

/**
 * Begins a session of an account and makes its tokens. `mfaAt`: when a factor was proved, in milliseconds since 1970.
 * Throws a Refusal where the account has too many.
 */
export async function startSession(
  account: Account,
  client: Client,
  system: AuthSystem,
  mfaAt?: number,
): Promise<TokenPair> {
  const { sessions, tokens } = system;
  const session = await sessions.begin(account, client, await factsOf(account, system, mfaAt));
  return tokens.issue(account, session.id, session.refreshId);
}
