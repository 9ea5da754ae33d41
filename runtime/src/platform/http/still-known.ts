import type { IncomingMessage } from 'node:http';
import type { AuthenticationRequest, Recognise, StillKnown } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import { factorProvedAt, isSignedIn, noteFactor } from '../identity/caller.ts';

/**
 * Asks again who calls, where the sign-in system knew it: with the credential of the request, and nothing else of it is
 * kept, nor anything of the generation that the connection began with. Undefined where it did not know the caller.
 */
export function stillKnownOf(
  { request, path }: Pick<AuthenticationRequest, 'request' | 'path'>,
  auth: Auth,
  recognise: Recognise | undefined,
): StillKnown | undefined {
  const { authorization } = request.headers;
  if (!isSignedIn(auth) || recognise === undefined || authorization === undefined) return undefined;
  const asked = {
    request: { headers: { authorization } } as IncomingMessage,
    path,
    query: {},
    addHeader: () => undefined,
  };
  const isKnown = (caller: Awaited<ReturnType<Recognise>>) => {
    if (caller === undefined || 'refused' in caller || !isSame(caller, auth)) return false;
    // What was proved since the connection began holds for it too.
    noteFactor(auth, factorProvedAt(caller));
    return true;
  };
  return (isUse) => {
    const caller = recognise(asked, isUse ? 'admission' : 'watching');
    return caller instanceof Promise ? caller.then(isKnown) : isKnown(caller);
  };
}

/** What a connection began with is what its messages are judged by: another person or other roles need another one. */
function isSame(now: Auth, then: Auth): boolean {
  const isMissing = (role: string) => !then.roles.includes(role);
  return now.user_id === then.user_id && now.roles.length === then.roles.length && !now.roles.some(isMissing);
}
