import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { callerNetwork } from '../../../platform/http/admission/client-address.ts';
import type { Attempt } from '../../../platform/oidc/authorization.ts';
import type { Client } from '../client.ts';
import { placedEndpoints } from '../endpoints/places.ts';
import type { AuthSettings } from '../settings.ts';
import type { AuthSystem } from '../system.ts';
import type { Family } from './providers/provider.ts';
import type { IdentityProvider } from './providers/providers.ts';

const kind = 'provider';
/** Milliseconds in which a browser has to come back. */
const lifetime = 600_000;

/** A sign-in, or a link, that was begun at a provider. */
export interface BegunAttempt {
  readonly attempt: Attempt;
  /** The session that links the identity to its account; undefined: a sign-in. */
  readonly linkBy: string | undefined;
}

/** Where the browser goes, and the cookie that makes it the only one that can come back. */
export interface Begun {
  readonly url: string;
  readonly state: string;
  /** The value of `Set-Cookie`. */
  readonly cookie: string;
}

/**
 * Begins a sign-in at a provider, or a link of an identity. State, nonce and verifier stay with the server, under a digest of
 * the state; the browser gets a cookie of its own without which no answer is accepted (RFC 9700, section 4.7). Rejects with
 * an OpenIdFailure where the provider cannot be reached.
 */
export async function beginAttempt(
  provider: IdentityProvider,
  client: Client,
  linkBy: string | undefined,
  system: Pick<AuthSystem, 'settings' | 'state'>,
): Promise<Begun> {
  const { settings, state } = system;
  const { parameters, posts, family } = provider;
  const redirectUri = callbackUrl(settings, family);
  const { url, attempt } = await provider.client.authorizationUrl({ redirectUri, parameters });
  const binding = randomBytes(32).toString('base64url');
  const data = {
    provider: attempt.provider,
    verifier: attempt.codeVerifier,
    redirect: redirectUri,
    ends: attempt.endsAt,
    binding: digestOf(binding),
    ...(attempt.nonce !== undefined && { nonce: attempt.nonce }),
    ...(linkBy !== undefined && { session: linkBy }),
  };
  const digest = digestOf(attempt.state);
  // Who begins many ends only its own; sixteen owners each, so that a network of many people has room.
  const owner = digestOf(`${callerNetwork(client.ip)} ${digest[0]}`);
  await state.tickets.issue({ kind, digest, owner, data }, lifetime, false);
  const cookie = cookieOf(attempt.state, binding, redirectUri, posts, lifetime / 1000);
  return { url, state: attempt.state, cookie };
}

/**
 * What was begun under a state, which is over with that; undefined where it was not begun by this browser, was answered
 * already, or is too old.
 */
export async function takeAttempt(
  given: string,
  cookies: string | undefined,
  { state }: Pick<AuthSystem, 'state'>,
): Promise<BegunAttempt | undefined> {
  const ticket = await state.tickets.take(kind, digestOf(given));
  const binding = cookieIn(cookies, cookieName(given));
  if (ticket === undefined || binding === undefined) return undefined;
  const { provider, verifier, redirect, ends, binding: expected, nonce, session } = ticket.data;
  if (!timingSafeEqual(Buffer.from(digestOf(binding)), Buffer.from(String(expected)))) return undefined;
  return {
    attempt: {
      provider: String(provider),
      state: given,
      nonce: nonce === undefined ? undefined : String(nonce),
      codeVerifier: String(verifier),
      redirectUri: String(redirect),
      endsAt: Number(ends),
    },
    linkBy: session === undefined ? undefined : String(session),
  };
}

/** The value of `Set-Cookie` that removes the cookie of an attempt. */
export function endedCookie(state: string, redirectUri: string, posts: boolean): string {
  return cookieOf(state, '', redirectUri, posts, 0);
}

/** Where a provider sends browsers back to; it follows a moved path. */
export function callbackUrl(settings: AuthSettings, family: Family): string {
  const place = placedEndpoints(settings).find(({ name }) => name === `${family}_callback`);
  return (settings.base_url ?? '').replace(/\/+$/, '') + (place?.path ?? '');
}

/** What is posted comes from a page of the provider, so that its cookie must not be kept to pages of this service. */
function cookieOf(state: string, value: string, redirectUri: string, posts: boolean, seconds: number): string {
  const { protocol, pathname } = new URL(redirectUri);
  const site = posts ? 'SameSite=None; Secure' : `SameSite=Lax${protocol === 'https:' ? '; Secure' : ''}`;
  return `${cookieName(state)}=${value}; Path=${pathname}; Max-Age=${seconds}; HttpOnly; ${site}`;
}

/** Each attempt has a cookie of its own, so that two tabs do not end each other's. */
function cookieName(state: string): string {
  return `svc_sign_in_${digestOf(state).slice(0, 16)}`;
}

/** The value of a cookie (RFC 6265, section 5.4); that of the first one where several have the name. */
function cookieIn(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=', 2);
    if (key === name && value !== undefined && value !== '') return value;
  }
  return undefined;
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
