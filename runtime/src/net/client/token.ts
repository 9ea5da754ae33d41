import { Failure } from '../../errors/failure.ts';
import type { Clock } from '../../observe/clock.ts';
import { documentLimit, type HttpSender } from '../request.ts';

/** How access tokens are fetched (docs/specification/http-client.md#credentials). */
export interface TokenGrant {
  readonly url: string;
  readonly grant: 'client_credentials' | 'refresh_token' | typeof jwtBearer;
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
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

/** Holds one access token for all requests: fetched once however many wait for it, and again shortly before it expires. */
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
  #flight: Promise<string> | undefined;

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
    if (this.#token !== undefined && this.#clock.elapsed() < this.#usableUntil) return this.#token;
    this.#flight ??= this.#fetch().finally(() => {
      this.#flight = undefined;
    });
    return this.#flight;
  }

  /** Notes that `token` was refused: it is not handed out again. A newer one stays. */
  refused(token: string): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #fetch(): Promise<string> {
    const { url, grant, clientId, clientSecret, scopes, assertion } = this.#grant;
    const form = new URLSearchParams({ grant_type: grant });
    if (grant === 'refresh_token') form.set('refresh_token', this.#refreshToken ?? '');
    if (assertion !== undefined) form.set('assertion', assertion());
    if (clientId !== undefined) form.set('client_id', clientId);
    if (clientSecret !== undefined) form.set('client_secret', clientSecret);
    if (scopes.length > 0) form.set('scope', scopes.join(' '));
    const headers = ['content-type', 'application/x-www-form-urlencoded', 'accept', 'application/json'];
    headers.push('user-agent', this.#userAgent);
    if (grant === 'client_credentials' && clientId !== undefined) {
      headers.push('authorization', basic(clientId, clientSecret ?? ''));
    }
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
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
        `no access token from ${origin}${pathname}: ${reason(answer.status, content)}`,
      );
    }
    const lifetime = Number(content['expires_in']) * 1000 || defaultLifetime;
    this.#usableUntil = this.#clock.elapsed() + Math.max(lifetime - margin, lifetime / 2);
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

/** Only the standard fields are repeated (RFC 6749, 5.2): an error page might echo what was sent. */
function reason(status: number, content: Record<string, unknown>): string {
  const { error, error_description: description } = content;
  const words = [error, description].filter((word) => typeof word === 'string');
  return words.length > 0 ? `HTTP ${status}: ${words.join(', ')}` : `HTTP ${status}`;
}
