import { OpenIdFailure } from '../../../platform/oidc/failure.ts';
import type { ProviderAnswer } from '../../../platform/oidc/providers/provider.ts';
import { completeSignIn, type SignedIn } from '../accounts/complete.ts';
import { recordFailure, recordingRefusals, type SignInSubject } from '../accounts/refused.ts';
import type { Client } from '../client.ts';
import { factorDemanded } from '../factors/challenge.ts';
import { holdsFactor } from '../factors/policy.ts';
import { Refusal } from '../refusal.ts';
import { belongingOf, stateOf, stateRefusal } from '../sessions/facts.ts';
import { credentialed } from '../sessions/start.ts';
import type { Account } from '../store/accounts.ts';
import type { AuthSystem } from '../system.ts';
import { type BegunAttempt, endedCookie, takeAttempt } from './attempts.ts';
import { type Action, identify, identityOf, type ProvedIdentity, type RecordIdentity } from './identify.ts';
import { identityProfile } from './profile.ts';
import type { IdentityProvider } from './providers/providers.ts';

/** A browser that comes back from a provider. */
export interface Return {
  readonly answer: ProviderAnswer;
  /** The `Cookie` header. */
  readonly cookies: string | undefined;
  /** The address that it came back to. */
  readonly redirectUri: string;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** What is answered to it. `signedIn` is undefined where an identity was linked by who is signed in. */
export interface Returned {
  readonly action: Action;
  readonly provider: string;
  readonly account: Account;
  readonly signedIn: SignedIn | undefined;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

const failed = (message = 'The sign-in with the identity provider did not succeed; begin again.') =>
  new Refusal(401, 'sso_failed', message);

/** Ends a sign-in at a provider, or a link. Throws a Refusal, whose reason in full is in the log alone. */
export async function handleReturn(back: Return, system: AuthSystem): Promise<Returned> {
  const { answer, client } = back;
  const { state, code, error } = answer;
  if (typeof state !== 'string' || state === '' || (code === undefined && error === undefined))
    throw new Refusal(400, 'invalid_callback', '`state` and `code` are required.');
  const subject: SignInSubject = { client, email: '', account: undefined };
  const recording = <T>(work: () => Promise<T>) => recordingRefusals(subject, system, work);
  const { begun, provider } = await recording(() => attemptOf(state, back, system));
  const proved = await recording(() => prove(provider, begun, back, system));
  const ended =
    begun.linkBy === undefined
      ? recording(() => signIn(subject, proved, back, system))
      : link(begun.linkBy, proved, client, system);
  const cookie = endedCookie(state, begun.attempt.redirectUri, provider.posts);
  return { ...(await ended), provider: provider.name, cookie };
}

/** What this browser began, and where. A state that was not given to it is counted like a wrong credential. */
async function attemptOf(
  state: string,
  { cookies, redirectUri, client, signal }: Return,
  system: AuthSystem,
): Promise<{ begun: BegunAttempt; provider: IdentityProvider }> {
  const begun = await takeAttempt(state, cookies, system);
  const provider = begun && system.providers?.find(begun.attempt.provider);
  if (begun === undefined || provider === undefined || begun.attempt.redirectUri !== redirectUri) {
    system.log.info('an answer of an identity provider is refused: this browser began no such sign-in', {
      ip: client.ip,
    });
    const attempt = await system.lockout.begin(client.ip, undefined, signal);
    await attempt.failed();
    throw failed('This sign-in was not begun by this browser, was ended already, or is too old; begin again.');
  }
  return { begun, provider };
}

/** Who the provider says it is. */
async function prove(
  provider: IdentityProvider,
  { attempt }: BegunAttempt,
  { answer, client, signal }: Return,
  system: AuthSystem,
): Promise<ProvedIdentity> {
  try {
    const grant = await provider.client.exchange({ answer, attempt, signal });
    const profile = await provider.profile(grant, provider.client, answer, signal);
    if (profile.subject !== '') return { provider: provider.name, profile: identityProfile(profile, provider) };
    system.log.warn('an identity provider names no subject', { provider: provider.name });
    throw failed();
  } catch (error) {
    if (!(error instanceof OpenIdFailure)) throw error;
    const { reason, check, providerError, providerDescription, message, retryAfter } = error;
    system.log.warn('a sign-in with an identity provider failed', { provider: provider.name, check, error: message });
    // Nothing was refused.
    if (reason === 'unavailable')
      throw new Refusal(
        503,
        'provider_unavailable',
        'The identity provider does not answer; try again.',
        retryAfter ?? 5_000,
      );
    const isOfBrowser = reason === 'refused' && answer['error'] !== undefined;
    const refusal = isOfBrowser
      ? new Refusal(401, providerError ?? 'sso_failed', providerDescription ?? 'The identity provider refused.')
      : failed();
    await recordFailure('', client, undefined, refusal, system, `provider_${check ?? reason}`);
    throw refusal;
  }
}

type Ended = Pick<Returned, 'action' | 'account' | 'signedIn'>;

async function signIn(
  subject: SignInSubject,
  proved: ProvedIdentity,
  { client, signal }: Return,
  system: AuthSystem,
): Promise<Ended> {
  const { hooks, accounts, settings, audit, lockout } = system;
  const { provider, profile } = proved;
  const { ip, userAgent } = client;
  const email = profile.email ?? '';
  subject.email = email;
  await hooks.before('before_login', { email, ip, user_agent: userAgent }, 'login_refused', 401);
  const metadata = { provider };
  const record: RecordIdentity = (event, { id, email: address }) =>
    audit.record({ event, user_id: id, email: address, client, success: true, reason: undefined, metadata });
  const found = await identify(proved, record, system);
  const { action } = found;
  const known = await credentialed(found.account.id, system);
  if (known === undefined) throw failed();
  const { account } = known;
  await refuseUnlinked(account, proved, system);
  Object.assign(subject, { account, email: account.email });
  if (action === 'created') hooks.after('after_register', { user_id: account.id, email: account.email });
  // The lock of the account holds here too; nothing is tried that could be guessed.
  await (await lockout.begin(ip, account.email, signal)).withdrawn();
  if (settings.mfa.enabled) {
    const held = await accounts.factors.held(account.id);
    if (holdsFactor(held) && !account.locked)
      throw await factorDemanded({ ...known, method: provider, deviceId: undefined }, client, held, system);
  }
  const proven = { ...known, client, method: provider, mfaAt: undefined };
  const signedIn = await completeSignIn(proven, system, async () => undefined);
  return { account: signedIn.account, action, signedIn };
}

/** Whether an identity is linked still, now that the generation is read: a reset may have removed it, and ended all sessions. */
async function refuseUnlinked(
  { id }: Account,
  { profile: { issuer, subject } }: ProvedIdentity,
  { accounts }: AuthSystem,
): Promise<void> {
  if ((await accounts.identities.find(issuer, subject))?.accountId !== id) throw failed();
}

/**
 * Links an identity to the account of the session that asked for it, while that may do so. An identity that belongs to
 * another account is refused.
 */
async function link(sessionId: string, proved: ProvedIdentity, client: Client, system: AuthSystem): Promise<Ended> {
  const { accounts, audit, clock, sessions } = system;
  const session = await sessions.store.find(sessionId);
  const account = session && (await accounts.byId(session.userId));
  const ended = () => failed('The session that began this has ended; sign in and begin again.');
  const isGone = session === undefined || account === undefined || account.locked;
  if (isGone || belongingOf(session, account, clock.now()) === 'outdated') throw ended();
  const state = stateOf(session, clock.now());
  if (state !== undefined) throw stateRefusal(state);
  const { issuer, subject } = proved.profile;
  const who = { user_id: account.id, email: account.email };
  const metadata = { provider: proved.provider };
  const taken = () => new Refusal(409, 'identity_taken', 'This identity is linked to another account.');
  const owner = await accounts.identities.find(issuer, subject);
  if (owner?.accountId === account.id) return { account, action: 'existing', signedIn: undefined };
  if (owner !== undefined) throw taken();
  // Recorded first: what must be recorded and cannot be does not happen.
  const record = { event: 'account_linked', ...who, client, metadata } as const;
  await audit.record({ ...record, success: true, reason: undefined });
  if (!(await accounts.identities.link(account.id, identityOf(proved, clock.now())))) throw taken();
  try {
    await sessions.refuseEnded(session);
  } catch (error) {
    await accounts.identities.remove(account.id, proved.profile);
    if (!(error instanceof Refusal)) throw error;
    await audit.record({ ...record, success: false, reason: error.code });
    throw ended();
  }
  return { account, action: 'linked', signedIn: undefined };
}
