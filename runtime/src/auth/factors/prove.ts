import type { Client } from '../client.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/**
 * Whether a code proves a factor of an account: one of its authenticator app, or a recovery code, which is spent. A right code
 * is right once.
 */
export async function proveCode(
  _account: Account,
  _code: string,
  _client: Client,
  _system: AuthSystem,
): Promise<boolean> {
  return false;
}
