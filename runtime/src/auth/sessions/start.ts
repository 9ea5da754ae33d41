import type { Client } from '../client.ts';
import { passwordEnd } from '../passwords/expiry.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import type { TokenPair } from '../tokens/tokens.ts';

/** Begins a session of an account and makes its tokens. Throws a Refusal where the account has too many. */
export async function startSession(account: Account, client: Client, system: AuthSystem): Promise<TokenPair> {
  const { sessions, tokens, settings, accounts } = system;
  const end = passwordEnd(settings.password, accounts, account);
  const session = await sessions.begin(account, client, end === undefined ? {} : { passwordExpiresAt: end });
  return tokens.issue(account, session.id, session.refreshId);
}
