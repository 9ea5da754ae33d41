import { createHash, randomBytes } from 'node:crypto';
import { claimAccount } from '../accounts/claim.ts';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { Ticket } from '../store/tickets.ts';
import type { AuthSystem } from '../system.ts';
import { refuseUnfit } from './new-password.ts';
import { setPassword } from './set-password.ts';

const kind = 'reset';

/** What a person needs to set a new password. */
export interface ResetLink {
  /** 256 random bits, base64url; the store has its digest only. */
  readonly token: string;
  readonly expiresAt: number;
}

/**
 * Makes a token that sets a password once; earlier ones of the account are void, and so is this one when the account has
 * another password or address, also by another program.
 */
export async function issueReset(
  account: Pick<Account, 'id' | 'email' | 'passwordHash'>,
  { state, settings, clock }: Pick<AuthSystem, 'state' | 'settings' | 'clock'>,
): Promise<ResetLink> {
  const token = randomBytes(32).toString('base64url');
  const { reset_token_ttl: ttl } = settings.password;
  await state.tickets.issue(
    { kind, digest: digestOf(token), owner: account.id, data: { of: credentialOf(account) } },
    ttl,
    true,
  );
  return { token, expiresAt: clock.now() + ttl };
}

/**
 * Hands a token over to the hook, where there is such an account. All that depends on it is done beside the answer, whose
 * time says nothing then; an audit that is required is the exception. Rejects where the accounts cannot be read, or a
 * required record cannot be written.
 */
export async function forgotPassword(email: string, client: Client, system: AuthSystem): Promise<void> {
  const { accounts, hooks, settings } = system;
  const work = () => handOver(email, client, system);
  if (settings.audit?.enabled && settings.audit.required) return work();
  // No account has this address: it is asked whether accounts can be read at all.
  await accounts.byEmail('');
  hooks.beside('a forgotten password', work);
}

async function handOver(email: string, client: Client, system: AuthSystem): Promise<void> {
  const { accounts, audit, hooks, log, settings } = system;
  const account = await accounts.byEmail(email);
  const metadata = {};
  if (account === undefined) {
    const unknown = { user_id: undefined, email, client, success: false, reason: 'unknown_account', metadata };
    return audit.record({ event: 'password_reset', ...unknown });
  }
  const who = { user_id: account.id, email: account.email };
  await audit.record({ event: 'password_reset', ...who, client, success: true, reason: undefined, metadata });
  if (!hooks.has('on_password_reset')) {
    log.warn('a password reset was asked for, and no hook on_password_reset sends the token', { user_id: account.id });
    return;
  }
  hooks.beside('a forgotten password', async () => {
    const { token, expiresAt } = await issueReset(account, system);
    hooks.after('on_password_reset', {
      ...who,
      reset_token: token,
      ...(settings.base_url !== undefined && { reset_url: resetUrl(settings.base_url, token) }),
      expires_at: new Date(expiresAt).toISOString(),
      ip: client.ip,
      user_agent: client.userAgent,
    });
  });
}

/** The token is behind `#`: browsers send that part of an address to no server, and in no Referer. */
export function resetUrl(base: string, token: string): string {
  return `${base.replace(/\/+$/, '')}/reset-password#token=${token}`;
}

/**
 * Sets a new password with a token. A password that is refused leaves the token valid, so that its holder can choose
 * another one. All sessions of the account end, and factors are asked for at the next sign-in as ever. Throws a Refusal.
 */
export async function resetPassword(
  token: string,
  wanted: string,
  client: Client,
  system: AuthSystem,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { state, accounts, audit, hooks, lockout, clock, log } = system;
  const digest = digestOf(token);
  const ticket = await state.tickets.peek(kind, digest);
  const account = ticket && (await accountOf(ticket, system));
  const invalid = new Refusal(401, 'invalid_reset_token', 'This link is not valid, was used already, or has expired.');
  if (account === undefined) {
    // Tokens cannot be guessed; who tries is stopped all the same.
    const attempt = await lockout.begin(client.ip, undefined, signal);
    await attempt.failed();
    throw invalid;
  }
  await refuseUnfit(wanted, account.email, account, system, signal);
  if ((await state.tickets.take(kind, digest)) === undefined) throw invalid;
  const who = { user_id: account.id, email: account.email };
  const metadata = { reset: true };
  await audit.record({ event: 'password_change', ...who, client, success: true, reason: undefined, metadata });
  // The token went to the address of the account.
  await claimAccount(account, system);
  await setPassword(account, wanted, system);
  await claimAccount(account, system);
  if (!account.emailVerified) await accounts.update(account.id, { emailVerified: true }, clock.now());
  try {
    // Who forgot a password may have tried it too often; tries from elsewhere stay counted.
    await lockout.forget(client.ip, account.email);
  } catch (error) {
    // The password is set: a lock that stays ends by itself.
    log.warn('a lock could not be ended after a reset of the password', { user_id: account.id, error });
  }
  hooks.after('after_password_change', { ...who, reset: true });
}

/** The account of a token, while it is the one that the token was made for. What an older version made does not say it. */
async function accountOf({ owner, data }: Ticket, { accounts }: AuthSystem): Promise<Account | undefined> {
  const account = await accounts.byId(owner);
  const { of } = data;
  return account !== undefined && (of === undefined || of === credentialOf(account)) ? account : undefined;
}

/** Tells the present password and address of an account from others. */
function credentialOf({ email, passwordHash = '' }: Pick<Account, 'email' | 'passwordHash'>): string {
  return digestOf(`${email}\n${passwordHash}`);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
