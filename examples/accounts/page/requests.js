// The tokens of this tab, and requests with them.

const kept = 'accounts-example';
let tokens = JSON.parse(sessionStorage.getItem(kept) ?? 'null');

export const isSignedIn = () => tokens !== null;

/** Keeps the tokens of an answer; null forgets them. */
export function keep(answer) {
  tokens = answer && { access: answer.access_token, refresh: answer.refresh_token };
  if (tokens) sessionStorage.setItem(kept, JSON.stringify(tokens));
  else sessionStorage.removeItem(kept);
}

/** Why a request was refused, as the service says it. */
export class Refused extends Error {
  constructor(status, answer) {
    // The endpoints of sign-in answer { error: { code, message } }, flows answer { error: message, code }.
    super(answer.error?.message ?? answer.error ?? `HTTP ${status}`);
    this.status = status;
    this.code = answer.error?.code ?? answer.code;
    this.answer = answer;
  }
}

export async function send(method, path, body, token) {
  const headers = {
    ...(body && { 'content-type': 'application/json' }),
    ...(token && { authorization: `Bearer ${token}` }),
  };
  const response = await fetch(path, { method, headers, body: body && JSON.stringify(body) });
  const answer = await response.json();
  if (response.ok) return answer;
  throw new Refused(response.status, answer);
}

// A refresh token is good once: requests that need a new pair at the same time share one refresh.
let refreshing;
function refresh() {
  refreshing ??= send('POST', '/auth/refresh', { refresh_token: tokens.refresh })
    .then(keep)
    .finally(() => {
      refreshing = undefined;
    });
  return refreshing;
}

/** A request of the person who is signed in. Once the session has ended, the tokens are forgotten. */
export async function signedIn(method, path, body) {
  try {
    return await send(method, path, body, tokens.access);
  } catch (error) {
    // A wrong code or password is 401 too, and has another code.
    if (error.code !== 'unauthorized' && error.code !== 'authentication_required') throw error;
  }
  try {
    await refresh();
  } catch (error) {
    if (error.status !== 401) throw error;
    keep(null);
    throw new Error('The session has ended. Sign in again.');
  }
  return send(method, path, body, tokens.access);
}
