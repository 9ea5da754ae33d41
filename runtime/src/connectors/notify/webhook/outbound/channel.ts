import { randomUUID } from 'node:crypto';
import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import { namesCredential } from '../../../../foundation/observe/mask.ts';
import { shownOf } from '../../../../platform/net/client/answer.ts';
import type { RetryPolicy } from '../../../../platform/net/client/retry.ts';
import { checkDataHeader } from '../../../../platform/net/headers.ts';
import { HttpFailure } from '../../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../../channel.ts';
import { bodyOfJson, type Message } from '../../message.ts';
import type { Outgoing, ProviderClient } from '../../provider-client.ts';
import { keyOf, type Secret, signatureOf } from '../signature.ts';
import { defaultTimestampHeader } from '../signature-spec.ts';
import { outboundFields } from './message.ts';
import { repeatedStatuses, usualRetry, type webhookOutbound } from './spec.ts';

/** What its block says. */
export type OutboundConfig = Values<(typeof webhookOutbound)['config']>;
type WebhookMessage = Message<typeof outboundFields>;

const userAgent = 'Svc-Webhook/1.0';
/** Failures of a try that no answer came to. */
const unanswered: ReadonlySet<string> = new Set(['connector_timeout', 'connector_refused', 'connector_failed']);

/** Events as requests to a receiver. */
export class WebhookChannel implements Channel<typeof outboundFields> {
  readonly fields = outboundFields;
  readonly provider = 'webhook';
  readonly #config: OutboundConfig;
  readonly #client: ProviderClient;
  readonly #clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly #statuses: ReadonlySet<number>;
  /** Names of headers that a message cannot set, in lower case. */
  readonly #own: ReadonlySet<string>;
  /** Where the configuration sends to, and the headers of every message. */
  readonly #url: URL;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secret: Secret | undefined;

  constructor(config: OutboundConfig, client: ProviderClient, clock: Pick<Clock, 'now' | 'elapsed'>) {
    this.#config = config;
    this.#client = client;
    this.#clock = clock;
    this.#url = addressOf(config.url);
    this.#headers = Object.fromEntries(
      (config.headers?.fields ?? []).map(({ name, value }) => [name.toLowerCase(), value]),
    );
    this.#secret = config.secret === undefined ? undefined : keyOf(config.secret);
    this.#statuses = new Set(config.retry?.retryable_statuses ?? repeatedStatuses);
    this.#own = new Set(
      [
        'content-type',
        'user-agent',
        'x-webhook-id',
        'x-webhook-event',
        defaultTimestampHeader,
        config.signature_header,
      ].map((name) => name.toLowerCase()),
    );
  }

  /** Variables that are not set arrive as empty texts: nothing goes out unsigned by accident. */
  async open(): Promise<void> {
    if (this.#config.secret === '') throw new Failure('connector_refused', 'secret is empty', { retriable: false });
    for (const { name } of this.#config.headers?.fields ?? []) this.#checkName(name, 'connector_failed');
  }

  async send(message: WebhookMessage, limits: Limits): Promise<Sent> {
    const { outgoing, id } = this.#outgoing(message);
    const begun = this.#clock.elapsed();
    const retry = this.#retry();
    let attempts = 1;
    const counted: RetryPolicy = {
      ...retry,
      repeats: (failure) => {
        const again = retry.repeats?.(failure) === true;
        if (again) attempts++;
        return again;
      },
    };
    try {
      return await this.#client.post({ ...outgoing, retry: counted }, limits, ({ status, body }) => ({
        status_code: status,
        message_id: id,
        body: shownOf(body),
        attempts,
        duration: Math.round(this.#clock.elapsed() - begun),
      }));
    } catch (error) {
      throw refusalOf(error, attempts);
    }
  }

  #outgoing(message: WebhookMessage): { readonly outgoing: Outgoing; readonly id: string } {
    const { config, event } = { config: this.#config, event: eventOf(message) };
    const url = event.url === undefined ? this.#url : addressOf(event.url);
    const body = bodyOfJson(message.payload);
    const id = message.idempotency_key ?? randomUUID();
    const headers: Record<string, string> = this.#headersFor(url);
    for (const [name, value] of Object.entries(message.headers ?? {})) {
      const text = textOfHeader(name, value);
      checkDataHeader(name, text);
      this.#checkName(name, 'value_refused');
      headers[name.toLowerCase()] = text;
    }
    headers['content-type'] = 'application/json';
    headers['user-agent'] = userAgent;
    headers['x-webhook-id'] = id;
    if (event.type !== undefined) headers['x-webhook-event'] = event.type;
    return {
      id,
      outgoing: {
        method: message.method ?? config.method,
        origin: url.origin,
        path: url.pathname + url.search,
        headers,
        fresh: () => this.#signature(body),
        body,
        timeout: config.timeout,
        captured: () => ({
          provider: this.provider,
          medium: 'request',
          shown: { to: [url.href], title: event.type, text: body },
        }),
      },
    };
  }

  /** Credentials are for the server of the connector, and go to no other that a message names. */
  #headersFor({ origin }: URL): Record<string, string> {
    const own = Object.entries(this.#headers);
    return Object.fromEntries(origin === this.#url.origin ? own : own.filter(([name]) => !namesCredential(name)));
  }

  /** Made for each try: a receiver refuses what was signed long ago. */
  #signature(body: string): Record<string, string> {
    const secret = this.#secret;
    const { signature_algorithm: algorithm, signature_header: header, include_timestamp: isTimed } = this.#config;
    if (secret === undefined || algorithm === 'none') return {};
    const timestamp = isTimed ? String(Math.floor(this.#clock.now() / 1_000)) : undefined;
    return {
      ...(timestamp !== undefined && { [defaultTimestampHeader.toLowerCase()]: timestamp }),
      [header.toLowerCase()]: signatureOf(algorithm, secret, timestamp, body),
    };
  }

  #checkName(name: string, code: 'value_refused' | 'connector_failed'): void {
    if (!this.#own.has(name.toLowerCase())) return;
    throw new Failure(code, `header "${name}" is set by the connector itself`, { retriable: false });
  }

  #retry(): RetryPolicy {
    const { attempts, delay, max_delay: maxDelay, multiplier } = this.#config.retry ?? usualRetry;
    return {
      attempts,
      delay,
      maxDelay,
      kind: 'exponential',
      factor: multiplier,
      jitter: true,
      unsafe: true,
      // An address that is refused is refused with every try.
      repeats: ({ code, upstream, retriable }) =>
        upstream === undefined ? retriable && unanswered.has(code) : this.#statuses.has(upstream.status),
    };
  }
}

/** Longest time in which all tries of one message can be made, in milliseconds. */
export function longestOf({ timeout, retry }: OutboundConfig): number {
  const { attempts, max_delay: maxDelay } = retry ?? usualRetry;
  return attempts * timeout + (attempts - 1) * Math.max(maxDelay, 30_000);
}

/** A target that is an address is where the event is sent, every other one is its type. */
function eventOf({ url, event_type: type }: WebhookMessage) {
  return url === undefined && type !== undefined && /^https?:\/\//i.test(type)
    ? { url: type, type: undefined }
    : { url, type };
}

function addressOf(text: string): URL {
  const url = URL.parse(text);
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (url === null || !isHttp || /[\s\\]/.test(text))
    throw new Failure('value_refused', 'url is not an http:// or https:// address');
  if (url.username !== '' || url.password !== '')
    throw new Failure('value_refused', 'url has credentials, which are never sent');
  return url;
}

function textOfHeader(name: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  throw new Failure('value_refused', `header ${JSON.stringify(name)} must be a text`);
}

/** A refusal with the number of tries that it was given after. */
function refusalOf(error: unknown, attempts: number): unknown {
  if (!(error instanceof HttpFailure) || error.upstream === undefined) return error;
  const { upstream, retriable, retryAfter } = error;
  const tries = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `webhook was refused with HTTP ${upstream.status} after ${tries}: ${upstream.body}`;
  return new HttpFailure('upstream_error', message, true, { upstream, retriable, retryAfter });
}
