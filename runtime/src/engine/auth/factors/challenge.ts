import { createHash, randomBytes } from 'node:crypto';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Credentialed } from '../sessions/start.ts';
import type { MfaSettings } from '../settings.ts';
import type { HeldFactors } from '../store/factors.ts';
import type { AuthSystem } from '../system.ts';
import { methodsOf } from './policy.ts';

const kind = 'mfa';

/** A sign-in whose first credential was right, and which waits for a factor. */
export interface PendingSignIn extends Credentialed {
  /** How the first credential was proved: `password`, or the name of an identity provider. */
  readonly method: string;
  /** As the client called itself in the first request. */
  readonly deviceId: string | undefined;
}

/** Ways to complete a sign-in, in the words of `mfa_methods`. */
export function waysOf(held: HeldFactors, { recovery }: Pick<MfaSettings, 'recovery'>): readonly string[] {
  return [...methodsOf(held), ...(recovery.enabled && held.recoveryCodes > 0 ? ['recovery_code'] : [])];
}

/**
 * What is answered to a right first credential of an account with a factor: 428 `mfa_required` with the token that
 * completes the sign-in once, from the same client, within `challenge_ttl`. There is no session before that.
 */
export async function factorDemanded(
  { account, generation, method, deviceId }: PendingSignIn,
  client: Client,
  held: HeldFactors,
  { state, settings, clock }: Pick<AuthSystem, 'state' | 'settings' | 'clock'>,
): Promise<Refusal> {
  const token = randomBytes(32).toString('base64url');
  const ttl = settings.mfa.challenge_ttl;
  const device = deviceId !== undefined && { device_id: deviceId };
  const data = { method, generation, client: clientDigest(client), of: digestOf(account.email), ...device };
  await state.tickets.issue({ kind, digest: digestOf(token), owner: account.id, data }, ttl, false);
  return new Refusal(428, 'mfa_required', 'A second factor completes this sign-in.', undefined, {
    mfa_token: token,
    mfa_methods: waysOf(held, settings.mfa),
    mfa_expires_at: new Date(clock.now() + ttl).toISOString(),
  });
}

/** The sign-in that a token completes, while it is valid for this client. It stays valid. */
export async function pendingSignIn(
  token: string,
  client: Client,
  { state, accounts }: Pick<AuthSystem, 'state' | 'accounts'>,
): Promise<PendingSignIn | undefined> {
  const ticket = await state.tickets.peek(kind, digestOf(token));
  if (ticket === undefined || ticket.data['client'] !== clientDigest(client)) return undefined;
  const account = await accounts.byId(ticket.owner);
  // Another account may have the id now.
  const { of } = ticket.data;
  if (account === undefined || (of !== undefined && of !== digestOf(account.email))) return undefined;
  const { method, generation = '', device_id: device } = ticket.data;
  const deviceId = device === undefined ? undefined : String(device);
  return { account, generation: String(generation), method: String(method), deviceId };
}

/** Wrong proofs after which a sign-in waits no longer. */
const mostTries = 5;

/** One try to complete a sign-in. It ends once. */
export interface ChallengeTry {
  /** The proof was wrong; the last one ends the sign-in. */
  failed(): Promise<void>;
  /** Nothing was compared. */
  withdrawn(): Promise<void>;
}

/** Begins a try to complete a sign-in; undefined where there were too many. */
export async function challengeTries(
  token: string,
  system: Pick<AuthSystem, 'state' | 'settings'>,
): Promise<ChallengeTry | undefined> {
  const { attempts } = system.state;
  const ttl = system.settings.mfa.challenge_ttl;
  const policy = { max: mostTries, window: ttl, lockout: ttl };
  const key = createHash('sha256').update(`challenge ${token}`).digest('hex');
  if (!(await attempts.attempt(key, policy)).allowed) return undefined;
  return {
    failed: async () => {
      if (await attempts.failed(key, policy)) await takeChallenge(token, system);
    },
    withdrawn: () => attempts.withdrawn(key),
  };
}

/** Ends a token; of several who complete one sign-in at once, one gets true. */
export async function takeChallenge(token: string, { state }: Pick<AuthSystem, 'state'>): Promise<boolean> {
  return (await state.tickets.take(kind, digestOf(token))) !== undefined;
}

/** Ends every sign-in of an account that waits for a factor, such as after its password was changed. */
export function dropChallenges(accountId: string, { state }: Pick<AuthSystem, 'state'>): Promise<void> {
  return state.tickets.dropAll(kind, accountId);
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** A token that was read by another client is worth nothing there; addresses change, such as of phones. */
function clientDigest({ userAgent }: Client): string {
  return createHash('sha256').update(userAgent).digest('hex');
}
