import { Failure } from '../../../foundation/errors/failure.ts';
import { dropChallenges } from '../factors/challenge.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/**
 * Replaces the password of an account, unless it was replaced meanwhile. Everything that was given out for the old one ends:
 * links that reset it, and every session but `except`. Before it too: a store that becomes unavailable leaves no session of the
 * old password beside the new one. Throws a Failure when another request has replaced it first.
 */
export async function setPassword(
  account: Account,
  password: string,
  { hashes, accounts, state, sessions, settings, clock }: AuthSystem,
  except?: string,
): Promise<void> {
  const endWhatWasGiven = async () => {
    await state.tickets.dropAll('reset', account.id);
    await dropChallenges(account.id, { state });
    await sessions.store.endAll(account.id, except);
  };
  const hash = await hashes.hash(password);
  await endWhatWasGiven();
  const changed = await accounts.setPassword(account.id, {
    hash,
    changedAt: clock.now(),
    keep: settings.password.history,
    expected: account.passwordHash,
  });
  if (!changed) throw new Failure('key_busy', 'the password of the account was changed by another request');
  await endWhatWasGiven();
}
