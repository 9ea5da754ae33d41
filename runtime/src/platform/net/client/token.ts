import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { type OAuthClient, type Proof, proveClient, remedyOf } from '../oauth/client-authentication.ts';
import { providerErrorOf } from '../oauth/provider-error.ts';
import { documentLimit, type HttpSender } from '../request.ts';
import { longestRetryAfter } from '../retry-after.ts';
import { retryAfterOf } from './answer.ts';

/** How access tokens are fetched (docs/specification/http-client.md#credentials). */
export interface TokenGrant {
  readonly url: string;
  readonly grant: 'client_credentials' | 'refresh_token' | typeof jwtBearer;
  /** Who asks; undefined where the grant itself says it. */
  readonly client: OAuthClient | undefined;
  readonly scopes: readonly string[];
  readonly refreshToken: string | undefined;
  /** Of a grant by assertion: makes the signed text that says who asks, for each fetch. */
  readonly assertion?: (() => string) | undefined;
}

/** The grant of those who sign an assertion (RFC 7523). */
export const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** A token is not used in its last minute. */
const margin = 60_000;
const defaultLifetime = 3_600_000;
/** A token that is said to end sooner is used all the same: the provider is not asked with every request. */
const shortestLifetime = 2_000;
/** Milliseconds before the end of its use in which a token is replaced while it still serves; at most a tenth of that use. */
const ahead = 60_000;
/** Milliseconds after a failure in which the provider is not asked; doubled with each further one, up to the second. */
const firstPause = 250;
const longestPause = 30_000;
/** Milliseconds in which a token that replaced a refused one is not replaced itself when it is refused too. */
const replacedFor = 10_000;

/**
 * Holds one access token for all requests. It is fetched when it is first needed, once however many wait for it, and
 * replaced in the background shortly before its end. A provider that fails is asked again after growing pauses; until
 * then what needs a token fails at once.
 */
export class TokenSource {
  readonly #grant: TokenGrant;
  readonly #client: HttpSender;
  readonly #clock: Clock;
  /** Milliseconds that one fetch may take. */
  readonly #timeout: number;
  readonly #userAgent: string;
  #refreshToken: string | undefined;
  #token: string | undefined;
  #usableUntil = 0;
  #renewFrom = 0;
  #fetchedAt = 0;
  /** Whether the token replaced one that was refused. */
  #isReplacement = false;
  #isRefused = false;
  #flight: Promise<string> | undefined;
  #failure: Failure | undefined;
  #failures = 0;
  #pausedUntil = 0;

  constructor(grant: TokenGrant, client: HttpSender, clock: Clock, timeout: number, userAgent: string) {
    this.#grant = grant;
    this.#client = client;
    this.#clock = clock;
    this.#timeout = timeout;
    this.#userAgent = userAgent;
    this.#refreshToken = grant.refreshToken;
  }

  /** The token that is held; undefined before it was fetched. */
  get current(): string | undefined {
    return this.#token;
  }

  /** The current token, without a promise when there is one. Rejects with a Failure that names no secret. */
  get(): string | Promise<string> {
    const now = this.#clock.elapsed();
    if (this.#token !== undefined && now < this.#usableUntil) {
      if (now >= this.#renewFrom && now >= this.#pausedUntil && this.#flight === undefined)
        this.#begin().catch(() => undefined);
      return this.#token;
    }
    if (this.#flight !== undefined) return this.#flight;
    return now < this.#pausedUntil ? Promise.reject(this.#paused(this.#pausedUntil - now)) : this.#begin();
  }

  /**
   * Notes that `token` was refused: it is not handed out again, while a newer one stays. False where it has itself just
   * replaced a refused one: another would be refused too, and a provider is not asked for one with every request.
   */
  refused(token: string): boolean {
    if (this.#token !== token) return true;
    if (this.#isReplacement && this.#clock.elapsed() - this.#fetchedAt < replacedFor) return false;
    this.#token = undefined;
    this.#isRefused = true;
    return true;
  }

  #begin(): Promise<string> {
    this.#flight = this.#fetch().then(
      (token) => {
        this.#flight = undefined;
        this.#failure = undefined;
        this.#failures = 0;
        return token;
      },
      (error: unknown) => {
        this.#flight = undefined;
        this.#failed(asFailure(error));
        throw error;
      },
    );
    return this.#flight;
  }

  #failed(failure: Failure): void {
    const pause = Math.min(firstPause * 2 ** Math.min(this.#failures++, 16), longestPause);
    const asked = Math.min(failure.retryAfter ?? 0, longestRetryAfter);
    this.#failure = failure;
    this.#pausedUntil = this.#clock.elapsed() + Math.max(pause, asked);
  }

  #paused(remaining: number): Failure {
    const { code = 'connector_failed', message = 'no access token', retriable } = this.#failure ?? {};
    return new Failure(code, message, { cause: this.#failure, retryAfter: remaining, retriable });
  }

  async #fetch(): Promise<string> {
    const { url, grant, client, scopes, assertion } = this.#grant;
    const form = new URLSearchParams({ grant_type: grant });
    if (grant === 'refresh_token') form.set('refresh_token', this.#refreshToken ?? '');
    if (assertion !== undefined) form.set('assertion', assertion());
    if (scopes.length > 0) form.set('scope', scopes.join(' '));
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
    headers.push('user-agent', this.#userAgent);
    const sent = [form.get('refresh_token') ?? '', form.get('assertion') ?? ''];
    const proof = client && (await proveClient(form, client, { url }, this.#clock.now()));
    headers.push(...(proof?.headers ?? []));
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    const began = this.#clock.elapsed();
    const answer = await this.#client.send({
      method: 'POST',
      origin,
      path,
      headers,
      body: form.toString(),
      deadline: this.#timeout,
      maxResponse: documentLimit,
    });
    const content = parse(answer.body);
    if (answer.status >= 400 || typeof content['access_token'] !== 'string' || content['access_token'] === '') {
      throw new Failure(
        'connector_failed',
        `no access token from ${origin}${pathname}: ${reason(answer.status, content, sent, proof)}`,
        { retryAfter: retryAfterOf(answer, this.#clock.now()) },
      );
    }
    const declared = Number(content['expires_in']) * 1000;
    const lifetime = declared > 0 ? Math.max(declared, shortestLifetime) : defaultLifetime;
    const use = Math.max(lifetime - margin, lifetime / 2);
    this.#fetchedAt = this.#clock.elapsed();
    this.#usableUntil = began + use;
    this.#renewFrom = this.#usableUntil - Math.min(ahead, use / 10);
    this.#isReplacement = this.#isRefused;
    this.#isRefused = false;
    if (typeof content['refresh_token'] === 'string') this.#refreshToken = content['refresh_token'];
    this.#token = content['access_token'];
    return this.#token;
  }
}

/** The value of an Authorization header for a name and password (RFC 7617). */
export function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

function parse(body: Buffer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Only the standard fields are repeated (RFC 6749, 5.2), without what was sent: an error page might echo it. */
function reason(
  status: number,
  content: Readonly<Record<string, unknown>>,
  sent: readonly string[],
  proof: Proof | undefined,
): string {
  const error = providerErrorOf(content, [...sent, ...(proof?.secrets ?? [])]);
  const words = [error?.code, error?.description].filter((word) => word !== undefined);
  const said = words.length > 0 ? `HTTP ${status}: ${words.join(', ')}` : `HTTP ${status}`;
  const remedy = remedyOf(proof?.method, status, error?.code);
  return remedy === undefined ? said : `${said}; ${remedy}`;
}
