import { createHash } from 'node:crypto';
import type { Client } from '../client.ts';
import { Refusal } from '../refusal.ts';
import type { Account } from '../store/accounts.ts';
import type { Session } from '../store/sessions.ts';
import type { AuthSystem } from '../system.ts';
import { type TokenClaims, type TokenPair, Tokens } from '../tokens/tokens.ts';
import { belongingOf, stateOf, stateRefusal } from './facts.ts';

const expired = () => new Refusal(401, 'session_expired', 'The session has ended; sign in again.');
const reused = () => new Refusal(401, 'token_reused', 'This refresh token was used before.');

/**
 * Exchanges a refresh token for new tokens. Where tokens are rotated, a second use of one ends its session: either the
 * client or a thief has the later token. The token is spent last, so that a store that is unavailable costs no one a session.
 * Throws a Refusal.
 */
export async function refresh(
  token: string,
  client: Client,
  system: AuthSystem,
): Promise<{ account: Account; tokens: TokenPair }> {
  const { tokens, accounts, sessions, audit, clock } = system;
  const claims = await tokens.check(token, 'refresh');
  if (claims === undefined) throw new Refusal(401, 'invalid_token', 'This is not a valid refresh token.');
  const session = await sessions.use(claims.sessionId);
  if (session === undefined || session.userId !== claims.userId) throw expired();
  const account = await accounts.byId(claims.userId);
  if (account === undefined || account.locked) {
    await sessions.store.endAll(claims.userId);
    throw new Refusal(401, 'user_not_found', 'There is no such account any longer.');
  }
  if (belongingOf(session, account, clock.now()) === 'outdated') {
    await sessions.store.end(session.id, session.userId);
    throw expired();
  }
  const state = stateOf(session, clock.now());
  if (state !== undefined) throw stateRefusal(state);
  const refreshId = await spend(claims, session, account, client, system);
  const who = { user_id: account.id, email: account.email };
  await audit.record({
    event: 'token_refresh',
    ...who,
    client,
    success: true,
    reason: undefined,
    metadata: { session_id: session.id },
  });
  return { account, tokens: await tokens.issue(account, session.id, refreshId) };
}

/** The `jti` of the token that replaces the spent one. */
async function spend(
  claims: TokenClaims,
  session: Session,
  account: Account,
  client: Client,
  system: AuthSystem,
): Promise<string> {
  const { settings, sessions, clock } = system;
  const { rotation, reuse_leeway: leeway } = settings.jwt;
  const { enabled: remembered, window } = settings.replay_protection;
  if (!rotation) {
    if (remembered && !(await sessions.store.firstUse(`refresh:${claims.id}`, window))) throw reused();
    return Tokens.newId();
  }
  const to = Tokens.newId();
  const request = { from: claims.id, to, client: clientDigest(client), leeway, at: clock.now() };
  switch (await sessions.store.rotate(session.id, request)) {
    case 'rotated':
      return to;
    case 'forgiven': {
      const now = await sessions.store.find(session.id);
      if (now === undefined) throw expired();
      return now.refreshId;
    }
    case 'ended':
      throw expired();
    case 'reused':
      await tellStolen(session, account, client, system);
      throw reused();
  }
}

/** The store has ended the session with the second use. */
async function tellStolen(session: Session, account: Account, client: Client, system: AuthSystem): Promise<void> {
  const { audit, hooks, log } = system;
  const who = { user_id: account.id, email: account.email };
  log.warn('a refresh token was used twice: its session was ended', { user_id: account.id, session_id: session.id });
  const metadata = { session_id: session.id };
  await audit.record({ event: 'token_refresh', ...who, client, success: false, reason: 'token_reused', metadata });
  const { ip, userAgent } = client;
  hooks.after('on_suspicious_activity', { ...who, reason: 'token_reused', action: 'block', ip, user_agent: userAgent });
}

/** Tells the client that spent a token from others, for the leeway. */
function clientDigest({ ip, userAgent }: Client): string {
  return createHash('sha256').update(`${ip}\n${userAgent}`).digest('hex');
}
