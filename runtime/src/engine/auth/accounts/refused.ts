import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';

/** Who signs in, as far as it is known. */
export interface SignInSubject {
  readonly client: Client;
  email: string;
  account: Account | undefined;
}

/** Refusals that were recorded where more was known of them. */
const recorded = new WeakSet<Refusal>();

/**
 * Runs a sign-in, whose refusal is recorded once and runs the hook, whatever refuses it. That a factor completes the sign-in,
 * and that something does not answer, is not a refusal.
 */
export async function recordingRefusals<T>(
  subject: SignInSubject,
  system: AuthSystem,
  signIn: () => Promise<T>,
): Promise<T> {
  try {
    return await signIn();
  } catch (error) {
    const isRefused = error instanceof Refusal && error.code !== 'mfa_required' && error.status < 500;
    if (isRefused && !recorded.has(error)) {
      const { email, client, account } = subject;
      await recordFailure(email, client, account, error, system);
    }
    throw error;
  }
}

/** Records a sign-in that was refused, and runs the hook. `reason`: what the record says, where it is more than the code. */
export async function recordFailure(
  email: string,
  client: Client,
  account: Account | undefined,
  refusal: Refusal,
  { audit, hooks }: AuthSystem,
  reason = refusal.code,
): Promise<void> {
  recorded.add(refusal);
  const { code, message } = refusal;
  const { ip, userAgent } = client;
  const metadata = {};
  await audit.record({ event: 'failed_login', user_id: account?.id, email, client, success: false, reason, metadata });
  hooks.after('on_failed_login', { email, ip, user_agent: userAgent, reason: message, code });
}

/** Records that failures have locked sign-ins now. */
export async function recordLock(
  email: string,
  client: Client,
  account: Account | undefined,
  { audit, log }: AuthSystem,
): Promise<void> {
  log.warn('sign-ins are locked after too many failures', { ip: client.ip, user_id: account?.id });
  await audit.record({
    event: 'account_locked',
    user_id: account?.id,
    email,
    client,
    success: true,
    reason: undefined,
    metadata: {},
  });
}
