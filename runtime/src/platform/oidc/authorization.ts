import { createHash, randomBytes } from 'node:crypto';
import type { ProviderMetadata } from './metadata.ts';

/** Milliseconds in which a sign-in that was begun has to come back. */
const attemptLifetime = 600_000;

/**
 * A sign-in that was begun: plain texts, to be kept by the server under its `state` until `endsAt`, taken out with the
 * first use, and bound to the browser that began it. It holds a secret.
 */
export interface Attempt {
  /** The name of the provider that it was begun with. */
  readonly provider: string;
  readonly state: string;
  /** Undefined for a provider without id_tokens. */
  readonly nonce: string | undefined;
  readonly codeVerifier: string;
  readonly redirectUri: string;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

export interface AuthorizationRequest {
  /** Where the provider sends the browser back to, exactly as it is registered there. */
  readonly redirectUri: string;
  /** Default: those of the settings. */
  readonly scopes?: readonly string[] | undefined;
  /** Further parameters, such as `prompt` or `response_mode`; those of the protocol itself cannot be replaced. */
  readonly parameters?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Authorization {
  /** Where the browser goes. */
  readonly url: string;
  readonly attempt: Attempt;
}

/** 256 random bits, as 43 characters that need no encoding anywhere. */
function random(): string {
  return randomBytes(32).toString('base64url');
}

/** The address that a browser begins a sign-in with, by PKCE with S256 (RFC 7636); a query that it has is kept. */
export function authorize(
  metadata: ProviderMetadata,
  client: { readonly provider: string; readonly clientId: string; readonly scopes: readonly string[] },
  { redirectUri, scopes = client.scopes, parameters = {} }: AuthorizationRequest,
  now: number,
): Authorization {
  const isOpenId = metadata.idTokens !== undefined;
  const attempt: Attempt = {
    provider: client.provider,
    state: random(),
    nonce: isOpenId ? random() : undefined,
    codeVerifier: random(),
    redirectUri,
    endsAt: now + attemptLifetime,
  };
  const asked = isOpenId && !scopes.includes('openid') ? ['openid', ...scopes] : scopes;
  const own: Readonly<Record<string, string | undefined>> = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    scope: asked.length === 0 ? undefined : asked.join(' '),
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: createHash('sha256').update(attempt.codeVerifier).digest('base64url'),
    code_challenge_method: 'S256',
    // What could replace all of it (RFC 9101).
    request: undefined,
    request_uri: undefined,
  };
  const url = new URL(metadata.authorizationEndpoint);
  for (const [name, value] of Object.entries({ ...parameters, ...own }))
    if (value === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  return { url: url.href, attempt };
}
