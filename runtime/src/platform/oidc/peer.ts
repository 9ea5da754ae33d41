import { Failure } from '../../foundation/errors/failure.ts';
import { decodeJson } from '../formats/json.ts';
import { AddressPolicy } from '../net/addresses/address-policy.ts';
import { headerProblem } from '../net/headers.ts';
import { documentLimit, type HttpAnswer, HttpClient, HttpFailure } from '../net/request.ts';
import { longestRetryAfter, parseRetryAfter } from '../net/retry-after.ts';
import { addressProblem } from './address-rules.ts';
import { OpenIdFailure, type ProviderFailures } from './failure.ts';
import type { OpenIdServices, OpenIdSettings } from './settings.ts';

/** Sockets for each origin of a provider. */
const connections = 8;
const defaultTimeout = 10_000;

/** An answer with its members, when it is an object. Integers beyond 2^53-1 are bigint. */
export interface ProviderAnswer {
  readonly status: number;
  readonly type: string;
  readonly value: unknown;
}

/**
 * Every request to one provider: to written hosts and public ones only, over verified TLS, within a time and a size, and
 * without following redirects to other origins.
 */
export class ProviderPeer {
  readonly addresses: AddressPolicy;
  readonly #client: HttpClient;
  readonly #timeout: number;
  readonly #services: OpenIdServices;
  readonly #failures: ProviderFailures;

  constructor(settings: OpenIdSettings, services: OpenIdServices, failures: ProviderFailures) {
    this.addresses = new AddressPolicy(writtenHosts(settings));
    this.#client = new HttpClient({
      tls: settings.tls,
      maxResponse: documentLimit,
      connections,
      addresses: this.addresses,
    });
    this.#timeout = settings.timeout ?? defaultTimeout;
    this.#services = services;
    this.#failures = failures;
  }

  /** A document as it is, with any status. */
  async document(url: string, signal?: AbortSignal): Promise<HttpAnswer> {
    const headers = ['accept', 'application/json', 'user-agent', this.#services.userAgent];
    return this.#send('GET', url, headers, undefined, signal);
  }

  /** Reads JSON; with an access token when one is given. */
  async read(url: string, accessToken: string | undefined, signal: AbortSignal | undefined): Promise<ProviderAnswer> {
    const headers = ['accept', 'application/json'];
    if (accessToken !== undefined) {
      const authorization = `Bearer ${accessToken}`;
      if (accessToken === '' || headerProblem('authorization', authorization) !== undefined)
        throw new Failure(
          'value_refused',
          'the access token cannot be sent: it is empty, or not made of printable characters',
        );
      headers.push('authorization', authorization);
    }
    return this.#answered('GET', url, headers, undefined, signal);
  }

  async post(
    url: string,
    form: URLSearchParams,
    headers: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<ProviderAnswer> {
    const all = ['accept', 'application/json', 'content-type', 'application/x-www-form-urlencoded', ...headers];
    return this.#answered('POST', url, all, form.toString(), signal);
  }

  /** Resolves with any answer, whatever it is. Rejects with an OpenIdFailure without one. */
  async reach(url: string, signal: AbortSignal | undefined): Promise<void> {
    try {
      await this.document(url, signal);
    } catch (error) {
      const failure = this.#failureOf(error);
      const isAnswer = failure instanceof OpenIdFailure && (failure.check === 'redirect' || failure.check === 'answer');
      if (!isAnswer) throw failure;
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#client.close(cut);
  }

  async #answered(
    method: string,
    url: string,
    headers: readonly string[],
    body: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<ProviderAnswer> {
    const all = [...headers, 'user-agent', this.#services.userAgent];
    const answer = await this.#send(method, url, all, body, signal).catch((error: unknown) => {
      throw this.#failureOf(error);
    });
    const { status } = answer;
    if (status === 408 || status === 429 || status >= 500) {
      const asked = parseRetryAfter(textOf(answer.headers['retry-after']), this.#services.clock.now());
      const retryAfter = asked === undefined ? undefined : Math.min(asked, longestRetryAfter);
      throw this.#failures.unavailable(`${new URL(url).origin} answered HTTP ${status}`, { retryAfter });
    }
    const type = (textOf(answer.headers['content-type']) ?? '').split(';')[0]!.trim().toLowerCase();
    return { status, type, value: decoded(answer.body, type) };
  }

  async #send(
    method: string,
    url: string,
    headers: readonly string[],
    body: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<HttpAnswer> {
    const problem = addressProblem(url);
    if (problem !== undefined) throw this.#failures.unacceptable('address', `an address that ${problem}`);
    const { origin, pathname, search } = new URL(url);
    const path = pathname + search;
    return this.#client.send({ method, origin, path, headers, body, deadline: this.#timeout, signal });
  }

  /** What a failed request means: a provider that is unavailable, or one that answers what is not accepted. */
  #failureOf(error: unknown): unknown {
    if (!(error instanceof HttpFailure)) return error;
    const { code, message, retriable } = error;
    if (code === 'cancelled') return error;
    if (code === 'connector_timeout') return this.#failures.unavailable(message);
    if (code === 'connector_refused')
      return retriable ? this.#failures.unavailable(message) : this.#failures.unacceptable('address', message);
    return this.#failures.unacceptable(code === 'upstream_error' ? 'redirect' : 'answer', message);
  }
}

function writtenHosts({ provider }: OpenIdSettings): readonly string[] {
  const urls =
    'issuer' in provider
      ? [provider.issuer]
      : [provider.endpoints.token, provider.endpoints.userinfo, ...(provider.endpoints.resources ?? [])];
  return urls.flatMap((url) => (url === undefined ? [] : [new URL(url).hostname]));
}

/** Undefined where the body is neither JSON nor a form; the parser's message would repeat a part of it. */
function decoded(body: Buffer, type: string): unknown {
  const text = body.toString('utf8');
  if (type === 'application/x-www-form-urlencoded') return Object.fromEntries(new URLSearchParams(text));
  try {
    return decodeJson(text);
  } catch {
    return undefined;
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header[0] : header;
}
