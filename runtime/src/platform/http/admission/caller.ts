import type { AuthenticationRequest, Recognise, Refused, Verifier } from '../../../foundation/contracts/http.ts';
import type { Auth } from '../../../foundation/contracts/message.ts';

/** Who asks, by the block of a connector where it has one, else by the sign-in system; undefined: no one that is known. */
export function callerOf(
  asked: AuthenticationRequest,
  verifier: Verifier | undefined,
  recognise: Recognise | undefined,
): ReturnType<Recognise> {
  return verifier === undefined ? recognise?.(asked) : verifier.verify(asked, recognise);
}

export function isRefused(verdict: Auth | Refused | undefined): verdict is Refused {
  return verdict !== undefined && 'refused' in verdict;
}
