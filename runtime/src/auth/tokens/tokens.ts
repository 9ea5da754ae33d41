import { randomBytes } from 'node:crypto';
import type { JWTPayload, JWTVerifyOptions } from 'jose';
import { Failure } from '../../errors/failure.ts';
import type { Clock } from '../../observe/clock.ts';
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

/** Signs and checks the tokens of a service (RFC 7519). No algorithm but the configured one is accepted (RFC 8725). */
export class Tokens {
  readonly #settings: AuthSettings['jwt'];
  readonly #permissions: (roles: readonly string[]) => readonly string[];
  readonly #keys: TokenKeys;
  readonly #clock: Clock;

  constructor(
    settings: AuthSettings['jwt'],
    permissions: (roles: readonly string[]) => readonly string[],
    keys: TokenKeys,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.#permissions = permissions;
    this.#keys = keys;
    this.#clock = clock;
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
    const { algorithm, issuer, audience } = this.#settings;
    const { id, key } = await this.#keys.signing();
    const now = Math.floor(this.#clock.now() / 1000);
    const permissions = this.#permissions(account.roles);
    return new SignJWT({
      jti,
      sub: account.id,
      user_id: account.id,
      ...(issuer !== undefined && { iss: issuer }),
      ...(audience !== undefined && audience.length > 0 && { aud: [...audience] }),
      iat: now,
      nbf: now,
      exp: now + Math.max(1, Math.floor(life / 1000)),
      email: account.email,
      ...(account.roles.length > 0 && { roles: account.roles }),
      ...(permissions.length > 0 && { permissions }),
      session_id: session,
      token_type: type,
    })
      .setProtectedHeader({ alg: algorithm, typ: 'JWT', ...(id !== undefined && { kid: id }) })
      .sign(key);
  }

  /**
   * What a token says; undefined when it is not a valid token of this type. Rejects with `store_unavailable` when its key
   * cannot be read.
   */
  async check(token: string, type: TokenType): Promise<TokenClaims | undefined> {
    if (token.length > longest) return undefined;
    const { jwtVerify } = await import('jose');
    const { algorithm, issuer, audience } = this.#settings;
    const options: JWTVerifyOptions = {
      algorithms: [algorithm],
      clockTolerance: leeway,
      currentDate: new Date(this.#clock.now()),
      ...(issuer !== undefined && { issuer }),
      ...(audience !== undefined && audience.length > 0 && { audience: [...audience] }),
    };
    try {
      const { payload } = await jwtVerify(token, this.#keyFor, options);
      return claimsOf(payload, type, this.#clock.now() / 1000);
    } catch (error) {
      if (error instanceof Failure) throw error;
      return undefined;
    }
  }

  /**
   * Whether a token is one that this service has made, of either type, valid or not: such a token is given to no one
   * else. Rejects as `check` does.
   */
  async isOwn(token: string): Promise<boolean> {
    if (token.length > longest) return false;
    const { compactVerify } = await import('jose');
    try {
      const { payload } = await compactVerify(token, this.#keyFor, { algorithms: [this.#settings.algorithm] });
      // Services that share a secret make tokens too, with other claims.
      const { token_type: type, session_id: session } = JSON.parse(new TextDecoder().decode(payload));
      return (type === 'access' || type === 'refresh') && typeof session === 'string';
    } catch (error) {
      if (error instanceof Failure) throw error;
      return false;
    }
  }

  readonly #keyFor = async ({ kid }: { readonly kid?: string | undefined }) => {
    const key = await this.#keys.checking(kid);
    if (key === undefined) throw new Error('no key has this name');
    return key;
  };
}

function claimsOf(payload: JWTPayload, type: TokenType, now: number): TokenClaims | undefined {
  const { jti, sub, exp, token_type: kind, session_id: session } = payload;
  if (kind !== type || typeof jti !== 'string' || typeof sub !== 'string' || typeof session !== 'string')
    return undefined;
  // Clocks may differ about the beginning of a token, never about its end.
  if (exp === undefined || !Number.isFinite(exp) || exp <= now) return undefined;
  return { id: jti, userId: sub, sessionId: session, exp, claims: payload };
}
