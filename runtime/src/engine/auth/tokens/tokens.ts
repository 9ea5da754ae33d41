import { type KeyObject, randomBytes } from 'node:crypto';
import type { JWTPayload, JWTVerifyOptions, ProtectedHeaderParameters } from 'jose';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { AuthSettings } from '../settings.ts';
import type { Account } from '../store/accounts.ts';
import type { TokenKeys } from './keys.ts';

/** What a client gets for a sign-in or a refresh. */
export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly token_type: 'Bearer';
  /** Seconds until the access token ends. */
  readonly expires_in: number;
}

/** What a token says, when it is one of this service and still valid. */
export interface TokenClaims {
  readonly id: string;
  readonly userId: string;
  readonly sessionId: string;
  /** Seconds since 1970. */
  readonly exp: number;
  readonly claims: JWTPayload;
}

export type TokenType = 'access' | 'refresh';

/** Seconds that clocks of processes may differ: a token may come from a process whose clock is ahead. */
const leeway = 5;
/** Longest token that is looked at, in characters. */
const longest = 8_192;
/** `typ`, algorithm and start of the key name of refresh tokens: nothing of them is as in access tokens (RFC 8725, 3.11). */
const refreshForm = { typ: 'refresh+jwt', algorithm: 'HS256', named: 'refresh-' } as const;
/** `aud` of refresh tokens where no issuer is configured. */
const ownAudience = 'refresh';
/** `typ` of access tokens, and of none that was made for something else (RFC 9068, section 2.1; RFC 7519, section 5.1). */
const accessTypes: ReadonlySet<string | undefined> = new Set([undefined, 'jwt', 'at+jwt']);

/** What a token must be to be looked at, and the keys that may have signed it. */
interface Form {
  readonly algorithm: string;
  readonly audience: readonly string[] | undefined;
  readonly keys: readonly KeyObject[];
}

/**
 * Signs and checks the tokens of a service (RFC 7519). No algorithm but the configured one is accepted (RFC 8725). Refresh
 * tokens are signed with a secret of their own, so that no one who checks access tokens takes one for such.
 */
export class Tokens {
  readonly #settings: AuthSettings['jwt'];
  readonly #permissions: (roles: readonly string[]) => readonly string[];
  readonly #keys: TokenKeys;
  readonly #clock: Clock;
  readonly #writesAsBefore: () => boolean;

  /**
   * `writesAsBefore`: whether refresh tokens are still signed with the key of access tokens, since processes of a version
   * that knows no other one may have to check them. Those of both kinds are accepted all the same.
   */
  constructor(
    settings: AuthSettings['jwt'],
    permissions: (roles: readonly string[]) => readonly string[],
    keys: TokenKeys,
    clock: Clock,
    writesAsBefore: () => boolean,
  ) {
    this.#settings = settings;
    this.#permissions = permissions;
    this.#keys = keys;
    this.#clock = clock;
    this.#writesAsBefore = writesAsBefore;
  }

  /** A new `jti`, or another identifier: 128 random bits as 32 hexadecimal digits. */
  static newId(): string {
    return randomBytes(16).toString('hex');
  }

  /** The tokens of a session; `refreshId` is the `jti` of the refresh token. */
  async issue(account: Account, sessionId: string, refreshId: string): Promise<TokenPair> {
    const { access_lifetime: access, refresh_lifetime: refresh } = this.#settings;
    const [accessToken, refreshToken] = await Promise.all([
      this.#sign('access', account, sessionId, Tokens.newId(), access),
      this.#sign('refresh', account, sessionId, refreshId, refresh),
    ]);
    return {
      access_token: accessToken,
      refresh_token: refreshToken,
      token_type: 'Bearer',
      expires_in: Math.floor(access / 1000),
    };
  }

  async #sign(type: TokenType, account: Account, session: string, jti: string, life: number): Promise<string> {
    const { SignJWT } = await import('jose');
    const { algorithm, issuer, access_typ: accessTyp } = this.#settings;
    const { id, key, refresh } = await this.#keys.signing();
    const now = Math.floor(this.#clock.now() / 1000);
    const permissions = this.#permissions(account.roles);
    const isApart = type === 'refresh' && !this.#writesAsBefore();
    const audience = isApart ? this.#refreshAudience() : this.#settings.audience;
    // There is no other client than the service itself (RFC 9068, section 2.2).
    const isProfiled = type === 'access' && accessTyp === 'at+jwt' && issuer !== undefined;
    const named = isApart && id !== undefined ? refreshForm.named + id : id;
    return new SignJWT({
      jti,
      sub: account.id,
      user_id: account.id,
      ...(issuer !== undefined && { iss: issuer }),
      ...(audience !== undefined && audience.length > 0 && { aud: [...audience] }),
      ...(isProfiled && { client_id: issuer }),
      iat: now,
      nbf: now,
      exp: now + Math.max(1, Math.floor(life / 1000)),
      email: account.email,
      ...(account.roles.length > 0 && { roles: account.roles }),
      ...(permissions.length > 0 && { permissions }),
      session_id: session,
      token_type: type,
    })
      .setProtectedHeader({
        alg: isApart ? refreshForm.algorithm : algorithm,
        typ: isApart ? refreshForm.typ : type === 'access' ? accessTyp : 'JWT',
        ...(named !== undefined && { kid: named }),
      })
      .sign(isApart ? refresh : key);
  }

  /**
   * What a token says; undefined when it is not a valid token of this type. Rejects with `store_unavailable` when its key
   * cannot be read.
   */
  async check(token: string, type: TokenType): Promise<TokenClaims | undefined> {
    const header = await headerOf(token);
    if (header === undefined || !mayBe(type, header)) return undefined;
    const { jwtVerify } = await import('jose');
    const { issuer } = this.#settings;
    const { algorithm, audience, keys } = await this.#formOf(header);
    const options: JWTVerifyOptions = {
      algorithms: [algorithm],
      clockTolerance: leeway,
      currentDate: new Date(this.#clock.now()),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && audience.length > 0 && { audience: [...audience] }),
    };
    const payload = await firstOf(keys, async (key) => (await jwtVerify(token, key, options)).payload);
    return payload && claimsOf(payload, type, this.#clock.now() / 1000);
  }

  /**
   * Whether a token is one that this service has made, of either type, valid or not: such a token is given to no one
   * else. Rejects as `check` does.
   */
  async isOwn(token: string): Promise<boolean> {
    const header = await headerOf(token);
    if (header === undefined) return false;
    const { compactVerify } = await import('jose');
    const { algorithm, keys } = await this.#formOf(header);
    const type = await firstOf(keys, async (key) => {
      const { payload } = await compactVerify(token, key, { algorithms: [algorithm] });
      // Services that share a secret make tokens too, with other claims.
      const { token_type: named, session_id: session } = JSON.parse(new TextDecoder().decode(payload));
      return typeof session === 'string' ? named : undefined;
    });
    return type === 'access' || type === 'refresh';
  }

  /** Refresh tokens of before have the form of access tokens. */
  async #formOf(header: ProtectedHeaderParameters): Promise<Form> {
    const { algorithm, audience } = this.#settings;
    const isRefresh = isRefreshForm(header);
    const wanted = isRefresh ? refreshForm.algorithm : algorithm;
    // Others than the keys of this algorithm are not looked for: anybody can send a token.
    if (header.alg !== wanted) return { algorithm: wanted, audience, keys: [] };
    if (!isRefresh) {
      const keys = await this.#keys.checking(header.kid);
      return { algorithm, audience, keys: keys.map(({ access }) => access) };
    }
    const name = header.kid?.startsWith(refreshForm.named) ? header.kid.slice(refreshForm.named.length) : undefined;
    const keys = await this.#keys.checking(name);
    return {
      algorithm: refreshForm.algorithm,
      audience: this.#refreshAudience(),
      keys: keys.flatMap(({ refresh }) => refresh ?? []),
    };
  }

  #refreshAudience(): readonly string[] {
    return [this.#settings.issuer ?? ownAudience];
  }
}

async function headerOf(token: string): Promise<ProtectedHeaderParameters | undefined> {
  if (token.length > longest) return undefined;
  const { decodeProtectedHeader } = await import('jose');
  try {
    const header = decodeProtectedHeader(token);
    return header.kid === undefined || typeof header.kid === 'string' ? header : undefined;
  } catch {
    return undefined;
  }
}

/** A `typ` in one spelling; it is a media type, whose first half may be left out (RFC 7515, section 4.1.9). */
function typeOf({ typ }: ProtectedHeaderParameters): string | undefined {
  return typeof typ === 'string' ? typ.toLowerCase().replace(/^application\//, '') : undefined;
}

function isRefreshForm(header: ProtectedHeaderParameters): boolean {
  return typeOf(header) === refreshForm.typ;
}

/** Whether a token with this header may be one of a type: a refresh token of before is a `JWT`. */
function mayBe(type: TokenType, header: ProtectedHeaderParameters): boolean {
  if (isRefreshForm(header)) return type === 'refresh';
  const typ = typeOf(header);
  return type === 'access' ? accessTypes.has(typ) : typ === undefined || typ === 'jwt';
}

/** What a look at a token with the first key that signed it gives; undefined where no key signed it. */
async function firstOf<T>(keys: readonly KeyObject[], look: (key: KeyObject) => Promise<T>): Promise<T | undefined> {
  for (const key of keys)
    try {
      return await look(key);
    } catch {
      // Another key may have signed it.
    }
  return undefined;
}

function claimsOf(payload: JWTPayload, type: TokenType, now: number): TokenClaims | undefined {
  const { jti, sub, exp, token_type: kind, session_id: session } = payload;
  if (kind !== type || typeof jti !== 'string' || typeof sub !== 'string' || typeof session !== 'string')
    return undefined;
  // Clocks may differ about the beginning of a token, never about its end.
  if (exp === undefined || !Number.isFinite(exp) || exp <= now) return undefined;
  return { id: jti, userId: sub, sessionId: session, exp, claims: payload };
}
