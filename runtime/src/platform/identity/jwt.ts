import { createPublicKey, type KeyObject } from 'node:crypto';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { AuthenticationRequest } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { knownBy } from './caller.ts';
import { type AuthSettings, type CredentialCheck, type Refused, unauthorized } from './credential-check.ts';
import { keySet } from './jwks.ts';
import { subjectOf } from './subject.ts';
import { faultOf, UnacceptableToken } from './token-fault.ts';

type JwtSettings = Pick<
  AuthSettings,
  'secret' | 'public_key' | 'jwks_url' | 'issuer' | 'audience' | 'algorithms' | 'require_exp' | 'header' | 'scheme'
>;

/** Seconds that clocks may differ. */
const leeway = 5;
const asymmetric = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Kinds of token that are access tokens; tokens without a kind count as one (RFC 9068). */
const accessTypes = new Set(['', 'jwt', 'at+jwt', 'access', 'access_token', 'bearer']);
const kindClaims = ['token_use', 'token_type', 'typ', 'type', 'purpose'];
/** Claims that only identity tokens carry (OpenID Connect Core, 2 and 3.3.2.11). */
const identityClaims = ['at_hash', 'c_hash', 'nonce'];

/**
 * Checks signed tokens (RFC 7519, RFC 8725). The algorithm is pinned by the kind of key that is configured: a secret
 * checks HMAC only, a public key or key set checks signatures only, so no key can be used as another kind.
 */
export class JwtCheck implements CredentialCheck {
  readonly #settings: JwtSettings;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #connector: string;
  readonly #header: string;
  readonly #scheme: string;
  #verify: ((token: string) => Promise<JWTPayload>) | undefined;
  #hasWarned = false;

  constructor(settings: JwtSettings, { clock, log }: { readonly clock: Clock; readonly log: Log }, connector: string) {
    this.#settings = settings;
    this.#clock = clock;
    this.#log = log;
    this.#connector = connector;
    this.#header = (settings.header ?? 'Authorization').toLowerCase();
    this.#scheme = settings.scheme.toLowerCase();
  }

  async prepare(): Promise<void> {
    try {
      this.#verify = await tokenCheck(this.#settings, this.#clock);
      this.#warnOfWeakKey();
    } catch (cause) {
      const message = `connector "${this.#connector}": the keys of its auth block cannot be used: ${messageOf(cause)}`;
      throw new Failure('connector_failed', message, { cause, at: { connector: this.#connector }, retriable: false });
    }
  }

  /** Signatures by such a key are not accepted anywhere; outside development the configuration is refused. */
  #warnOfWeakKey(): void {
    const { public_key: pem } = this.#settings;
    const bits = pem === undefined ? undefined : createPublicKey(pem).asymmetricKeyDetails?.modulusLength;
    if (bits !== undefined && bits < 2048)
      this.#log.warn(`no token is accepted: the RSA key has ${bits} bits, fewer than 2048`, {
        connector: this.#connector,
      });
  }

  /** Logged once: its caller would send it again and again. */
  #tellOfEndless(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    this.#log.warn('a token without exp was refused, and all others like it will be', {
      connector: this.#connector,
      help: 'have the issuer set exp, or write require_exp = false to accept tokens that never end',
    });
  }

  async check({ request: { headers } }: AuthenticationRequest): Promise<Auth | Refused> {
    const credential = headers[this.#header];
    const token = typeof credential === 'string' ? tokenOf(credential, this.#scheme) : undefined;
    if (token === undefined || this.#verify === undefined) return unauthorized('Bearer');
    try {
      return knownBy(subjectOf(await this.#verify(token)), token);
    } catch (error) {
      if (error instanceof Failure) throw error;
      if (error instanceof EndlessToken) this.#tellOfEndless();
      const { check, description } = faultOf(error);
      const compared = comparedIn(error, check, this.#settings);
      this.#log.debug('a token was refused', { connector: this.#connector, check, reason: description, ...compared });
      return unauthorized(`Bearer error="invalid_token", error_description="${description}"`);
    }
  }
}

/** Characters of what a token says that are logged. */
const longestShown = 200;

/**
 * What a token with a good signature says of its issuer or audience, and what is accepted, for the log: nothing else tells
 * which of the two is to be changed. A claim that is too long is cut off.
 */
function comparedIn(
  error: unknown,
  check: string,
  { issuer, audience }: JwtSettings,
): Readonly<Record<string, unknown>> {
  const { payload } = error as { readonly payload?: JWTPayload };
  const wanted = { iss: issuer, aud: audience }[check];
  if (payload === undefined || wanted === undefined) return {};
  const said = JSON.stringify(payload[check]) ?? 'nothing';
  return { [check]: said.slice(0, longestShown), accepted: JSON.stringify(wanted) };
}

/** A token whose signature is good, and which never ends. */
class EndlessToken extends UnacceptableToken {
  constructor() {
    super('exp', 'the token never ends');
  }
}

function tokenOf(credential: string, scheme: string): string | undefined {
  if (scheme === '') return credential.trim();
  const [word = '', token, ...rest] = credential.trim().split(/ +/);
  return word.toLowerCase() === scheme && rest.length === 0 ? token : undefined;
}

async function tokenCheck(settings: JwtSettings, clock: Clock): Promise<(token: string) => Promise<JWTPayload>> {
  const { jwtVerify } = await import('jose');
  const keyFor = await keyChoice(settings);
  const hmac = settings.secret === undefined ? [] : ['HS256'];
  const signed = settings.public_key === undefined && settings.jwks_url === undefined ? [] : asymmetric;
  const algorithms = [...(settings.algorithms ?? [...hmac, ...signed])];
  return async (token) => {
    const { payload, protectedHeader } = await jwtVerify(token, keyFor, {
      algorithms,
      ...(settings.issuer !== undefined && { issuer: settings.issuer }),
      ...(settings.audience?.length && { audience: [...settings.audience] }),
      clockTolerance: leeway,
      currentDate: new Date(clock.now()),
    });
    requireAccessToken(protectedHeader.typ, payload);
    if (payload.exp === undefined && settings.require_exp) throw new EndlessToken();
    if (payload.exp !== undefined && !Number.isFinite(payload.exp))
      throw new UnacceptableToken('exp', 'the end of the token is not a time');
    return payload;
  };
}

/** The key for the algorithm that the token names, which is in the list of accepted ones by then. */
async function keyChoice({ secret, public_key: pem, jwks_url: url }: JwtSettings): Promise<JWTVerifyGetKey> {
  const hmac = secret === undefined ? undefined : new TextEncoder().encode(secret);
  const fixed = pem === undefined ? undefined : createPublicKey(pem);
  const published = url === undefined ? undefined : await keySet(url);
  return async (header, token) => {
    if (/^HS/.test(header.alg ?? '')) {
      if (hmac === undefined) throw new UnacceptableToken('alg', 'no key checks the algorithm of the token');
      return hmac;
    }
    if (fixed !== undefined && suits(fixed, header.alg ?? '')) return fixed;
    if (published === undefined) throw new UnacceptableToken('alg', 'no key checks the algorithm of the token');
    return published(header, token);
  };
}

function suits({ asymmetricKeyType: type }: KeyObject, algorithm: string): boolean {
  if (/^(RS|PS)/.test(algorithm)) return type === 'rsa' || type === 'rsa-pss';
  return algorithm.startsWith('ES') ? type === 'ec' : type === 'ed25519' || type === 'ed448';
}

/** Refuses tokens that were made for something else: refreshing, identity, second factors, resets. */
function requireAccessToken(type: unknown, payload: JWTPayload): void {
  const kinds = [type, ...kindClaims.map((name) => payload[name])].map(kindOf);
  if (kinds.some((kind) => kind !== undefined && !accessTypes.has(kind)))
    throw new UnacceptableToken('typ', 'this is not an access token');
  if (kinds[0] !== 'at+jwt' && identityClaims.some((name) => payload[name] !== undefined))
    throw new UnacceptableToken('typ', 'this is an identity token');
}

/** A kind in one spelling: the first half of a media type may be left out (RFC 7515, section 4.1.9). */
function kindOf(kind: unknown): string | undefined {
  return typeof kind === 'string' ? kind.toLowerCase().replace(/^application\//, '') : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
