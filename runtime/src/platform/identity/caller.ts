import type { Auth } from '../../foundation/contracts/message.ts';
import { canonicalDigest } from '../formats/canonical.ts';

/** Claims that differ from token to token and from session to session of one caller (RFC 7519, section 4.1). */
const passing: ReadonlySet<string> = new Set(['iat', 'exp', 'nbf', 'jti', 'sid', 'session_id']);

/** Credentials of callers without a subject. They are not part of `Auth`, so that nothing shows them. */
const credentials = new WeakMap<Auth, string>();
const texts = new WeakMap<Auth, string>();

/** The caller, with the credential that distinguishes it when nothing else does. */
export function knownBy(auth: Auth, credential: string): Auth {
  if (auth.user_id === '') credentials.set(auth, credential);
  return auth;
}

/** Calls once when what a caller began has ended; gives what stops that. */
export type WhenEnded = (act: () => void) => () => void;

const neverEnded: WhenEnded = () => () => undefined;
/** Callers that the sign-in system knows: their sessions can end before their tokens do. */
const signedIn = new WeakMap<Auth, WhenEnded>();

/** The caller, as one of the sign-in system. Without `whenEnded` its end is not reported. */
export function bySignIn(auth: Auth, whenEnded: WhenEnded = neverEnded): Auth {
  signedIn.set(auth, whenEnded);
  return auth;
}

/** Calls once when the session of a caller is ended in this process; gives what stops that. */
export function whenSessionEnds(auth: Auth, act: () => void): () => void {
  return (signedIn.get(auth) ?? neverEnded)(act);
}

export function isSignedIn(auth: Auth): boolean {
  return signedIn.has(auth);
}

/** When callers proved a second factor last, in milliseconds since 1970. */
const factors = new WeakMap<Auth, number>();

/** Notes when a caller of the sign-in system proved a second factor last; undefined: never in its session. */
export function noteFactor(auth: Auth, at: number | undefined): void {
  if (at !== undefined) factors.set(auth, at);
}

/** When a caller proved a second factor last, in milliseconds since 1970. */
export function factorProvedAt(auth: Auth): number | undefined {
  return factors.get(auth);
}

/**
 * Distinguishes callers wherever something is kept or shared for them: subject and every claim, the issuer among them,
 * without those of time, token and session; for a caller without a subject the credential too. Two callers who differ
 * in anything that a flow can read have different texts. It holds digests only, and is empty for anonymous callers.
 */
export function callerOf(auth: Auth): string {
  if (!auth.authenticated) return '';
  let text = texts.get(auth);
  if (text === undefined) texts.set(auth, (text = digestOf(auth)));
  return text;
}

function digestOf(auth: Auth): string {
  const { user_id: subject, email, roles, claims } = auth;
  const lasting = Object.entries(claims).filter(([name]) => !passing.has(name));
  const credential = subject === '' ? credentials.get(auth) : undefined;
  return canonicalDigest([subject, email, roles, new Map(lasting), credential], 'ordered');
}
