import { type FetchKeys, type KeySet, keySet } from '../identity/jwks.ts';
import { answered } from '../net/answered.ts';
import { methodOf, type ProvingEndpoint, proveClient } from '../net/oauth/client-authentication.ts';
import { providerErrorOf } from '../net/oauth/provider-error.ts';
import { discoveryOf } from './address-rules.ts';
import { type Attempt, type Authorization, type AuthorizationRequest, authorize } from './authorization.ts';
import { type AuthorizationAnswer, readAuthorizationAnswer } from './authorization-answer.ts';
import { Discovery } from './discovery.ts';
import { ProviderFailures } from './failure.ts';
import { checkIdToken, type IdTokenClaims, type IdTokenExpectation } from './id-token.ts';
import { type ProviderMetadata, writtenMetadata } from './metadata.ts';
import { ProviderPeer } from './peer.ts';
import type { OpenIdServices, OpenIdSettings } from './settings.ts';
import { readTokenAnswer, type TokenAnswer } from './token-answer.ts';

/** What a provider gave for a code or a refresh token. */
export interface Grant extends Omit<TokenAnswer, 'idToken'> {
  /** Claims of the id_token, which passed every check; undefined where there was none to check. */
  readonly claims: IdTokenClaims | undefined;
}

export interface ExchangeOptions {
  /** What the browser brought back. */
  readonly answer: AuthorizationAnswer;
  /** What was kept under its state, taken out of where it was kept. */
  readonly attempt: Attempt;
  readonly signal?: AbortSignal | undefined;
}

export interface RefreshOptions {
  readonly refreshToken: string;
  /** The `sub` that a new id_token must name; undefined where it is not known. */
  readonly subject?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadOptions {
  readonly accessToken: string;
  readonly signal?: AbortSignal | undefined;
}

export interface UserinfoOptions extends ReadOptions {
  /** The `sub` of the id_token, which the profile must name too (OpenID Connect Core 1.0, 5.3.2). */
  readonly subject?: string | undefined;
}

/** A profile as the provider gives it. Integers beyond 2^53-1 are bigint. */
export type Profile = Readonly<Record<string, unknown>>;

/**
 * A client of one provider, by OpenID Connect or by OAuth 2.0 alone: it begins sign-ins and ends them. Rejects with an
 * OpenIdFailure whatever the provider does, and with a Failure `cancelled` when the signal fires.
 */
export class OpenIdClient {
  readonly name: string;
  readonly #settings: OpenIdSettings;
  readonly #services: OpenIdServices;
  readonly #failures: ProviderFailures;
  readonly #peer: ProviderPeer;
  /** Undefined where the endpoints are written. */
  readonly #discovery: Discovery | undefined;
  readonly #written: ProviderMetadata | undefined;
  #keys: { readonly url: string; readonly set: Promise<KeySet> } | undefined;

  /** Opens nothing. */
  constructor(settings: OpenIdSettings, services: OpenIdServices) {
    this.name = settings.name;
    this.#settings = settings;
    this.#services = services;
    const failures = new ProviderFailures(settings.name);
    const peer = new ProviderPeer(settings, services, failures);
    this.#failures = failures;
    this.#peer = peer;
    const { provider, name } = settings;
    if ('endpoints' in provider) this.#written = writtenMetadata(provider.endpoints);
    else {
      const check = (metadata: ProviderMetadata) => void this.#provingAt(metadata);
      this.#discovery = new Discovery({ issuer: provider.issuer, provider: name, peer, failures, services, check });
    }
  }

  /** Begins to read the document of the issuer in the background; nothing waits for it. */
  open(): void {
    this.#discovery?.open();
  }

  /** Lets requests under way finish, until `cut` fires. May be called twice. */
  async close(cut?: AbortSignal): Promise<void> {
    this.#discovery?.close();
    await this.#peer.close(cut);
  }

  /** Why the provider cannot be used now; undefined when it can. */
  get problem(): string | undefined {
    return this.#discovery?.problem;
  }

  /** Whether it has an endpoint for profiles of users. */
  async hasProfiles(signal?: AbortSignal): Promise<boolean> {
    return (await this.#metadata(signal)).userinfoEndpoint !== undefined;
  }

  /** Waits for the first attempt to read the document. Rejects with an OpenIdFailure while it was never read. */
  async available(signal?: AbortSignal): Promise<void> {
    await this.#metadata(signal);
  }

  /** Asks the provider for any answer. Rejects with an OpenIdFailure without one. */
  async reach(signal?: AbortSignal): Promise<void> {
    const { provider } = this.#settings;
    const url = 'issuer' in provider ? discoveryOf(provider.issuer).url : new URL(provider.endpoints.token).origin;
    await this.#peer.reach(url, signal);
  }

  /** Begins a sign-in. The caller keeps the attempt, and binds it to the browser. */
  async authorizationUrl(request: AuthorizationRequest): Promise<Authorization> {
    const { clientId, scopes } = this.#settings;
    const metadata = await this.#metadata(request.signal);
    return authorize(metadata, { provider: this.name, clientId, scopes }, request, this.#services.clock.now());
  }

  /** Ends a sign-in: checks what the browser brought back, exchanges the code and checks the id_token. */
  async exchange({ answer, attempt, signal }: ExchangeOptions): Promise<Grant> {
    const metadata = await this.#metadata(signal);
    const now = this.#services.clock.now();
    const code = readAuthorizationAnswer(answer, attempt, this.name, now, metadata, this.#failures);
    const { redirectUri, codeVerifier, nonce } = attempt;
    const form = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: codeVerifier };
    const given = await this.#tokens(metadata, form, [code, codeVerifier], signal);
    if (metadata.idTokens !== undefined && given.idToken === undefined)
      throw this.#failures.unacceptable('id_token', 'its token endpoint answered no id_token');
    return this.#checked(metadata, given, { nonce, subject: undefined }, signal);
  }

  /** Fetches a new access token; the refresh token is the former one where the provider gave no other. */
  async refresh({ refreshToken, subject, signal }: RefreshOptions): Promise<Grant> {
    const metadata = await this.#metadata(signal);
    const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
    const given = await this.#tokens(metadata, form, [refreshToken], signal);
    const kept = { ...given, refreshToken: given.refreshToken ?? refreshToken };
    return this.#checked(metadata, kept, { nonce: undefined, subject }, signal);
  }

  /** The profile of a user. */
  async userinfo({ subject, ...options }: UserinfoOptions): Promise<Profile> {
    const { userinfoEndpoint, idTokens } = await this.#metadata(options.signal);
    if (userinfoEndpoint === undefined)
      throw this.#failures.unacceptable('userinfo', 'it has no endpoint for profiles of users');
    const profile = await this.resource(userinfoEndpoint, options);
    if (typeof profile !== 'object' || profile === null || Array.isArray(profile))
      throw this.#failures.unacceptable('userinfo', 'the profile of a user is not a JSON object');
    const { sub } = profile as Profile;
    if (idTokens !== undefined && (typeof sub !== 'string' || sub === ''))
      throw this.#failures.unacceptable('userinfo sub', 'the profile of a user names no subject');
    if (subject !== undefined && sub !== subject)
      throw this.#failures.unacceptable('userinfo sub', 'the profile is that of another user');
    return profile as Profile;
  }

  /** Reads JSON with an access token from an address that the settings name, such as a list of e-mail addresses. */
  async resource(url: string, { accessToken, signal }: ReadOptions): Promise<unknown> {
    const { status, type, value } = await this.#peer.read(url, accessToken, signal);
    const said = typeof value === 'object' && value !== null ? (value as Profile) : {};
    if (status < 200 || status > 299) {
      const code = status === 401 ? 'invalid_token' : `http_${status}`;
      throw this.#failures.refused(providerErrorOf(said, [accessToken]) ?? { code, description: undefined }, status);
    }
    if (value === undefined || type === 'application/jwt') {
      const what = type === 'application/jwt' ? 'a signed answer, which is not read' : 'an answer that is not JSON';
      throw this.#failures.unacceptable('userinfo', what);
    }
    return value;
  }

  async #metadata(signal: AbortSignal | undefined): Promise<ProviderMetadata> {
    return this.#written ?? this.#discovery!.metadata(signal);
  }

  /** Where this service proves itself. Throws an OpenIdFailure where the provider takes no secret, and nothing else is written. */
  #provingAt({
    tokenEndpoint,
    tlsTokenEndpoint,
    authentications: methods,
    algorithms,
  }: ProviderMetadata): ProvingEndpoint {
    const method = methodOf(this.#settings, methods);
    if (method === undefined)
      throw this.#failures.unacceptable('discovery', 'its token endpoint takes no client secret');
    return { url: method === 'tls' ? (tlsTokenEndpoint ?? tokenEndpoint) : tokenEndpoint, methods, algorithms };
  }

  async #tokens(
    metadata: ProviderMetadata,
    fields: Readonly<Record<string, string>>,
    sent: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<TokenAnswer> {
    const form = new URLSearchParams(fields);
    const endpoint = this.#provingAt(metadata);
    const { method, headers, secrets } = await proveClient(form, this.#settings, endpoint, this.#services.clock.now());
    const answer = await this.#peer.post(endpoint.url, form, headers, signal);
    return readTokenAnswer(answer, [...sent, ...secrets], method, this.#failures);
  }

  async #checked(
    { idTokens }: ProviderMetadata,
    { idToken, ...given }: TokenAnswer,
    asked: Pick<IdTokenExpectation, 'nonce' | 'subject'>,
    signal: AbortSignal | undefined,
  ): Promise<Grant> {
    if (idTokens === undefined || idToken === undefined) return { ...given, claims: undefined };
    const { clientId } = this.#settings;
    const { accessToken } = given;
    const expected = { ...asked, clientId, accessToken, now: this.#services.clock.now() };
    const check = async () =>
      checkIdToken(idToken, await this.#keySet(idTokens.keysUrl), idTokens, expected, this.#failures);
    // What is fetched for all sign-ins is not given up with one of them.
    return { ...given, claims: await answered(check(), { signal }) };
  }

  /** One key set for as long as the document names the same address. */
  async #keySet(url: string): Promise<KeySet> {
    if (this.#keys?.url !== url) {
      const fetch: FetchKeys = (address, _headers, signal) => this.#peer.document(address, signal);
      this.#keys = { url, set: keySet(url, { fetch, allowsUnnamed: true }) };
    }
    return this.#keys.set;
  }
}
