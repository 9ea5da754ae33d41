import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../channel.ts';
import { jsonBody, type Message } from '../message.ts';
import type { ProviderClient } from '../provider-client.ts';
import { Batches } from './batches.ts';
import { slackFields } from './message.ts';
import type { slack } from './spec.ts';
import { type Summary, summaryOf } from './summary.ts';

type Config = Values<(typeof slack)['config']>;
type SlackMessage = Message<typeof slackFields>;

const json = { 'content-type': 'application/json; charset=utf-8', accept: 'application/json' } as const;
/** What a block that is not written says. */
const standardBatch = { enabled: true, window: 3_000, max_size: 50, group_by: 'channel', summary: undefined } as const;
/** Errors of the provider that pass. */
const temporary: readonly unknown[] = [
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
];

/** What a channel is made of. */
export interface SlackParts {
  readonly name: string;
  readonly config: Config;
  readonly services: ConnectorServices;
  readonly client: ProviderClient;
}

/** Messages over a webhook, or by an app; those of a short time are sent together. */
export class SlackChannel implements Channel<typeof slackFields> {
  readonly fields = slackFields;
  readonly provider = 'slack';
  readonly #config: Config;
  readonly #client: ProviderClient;
  readonly #summary: Summary;
  /** Undefined: each message is sent at once. */
  readonly #batches: Batches | undefined;

  constructor({ name, config, services, client }: SlackParts) {
    this.#config = config;
    this.#client = client;
    const batch = config.batch ?? standardBatch;
    this.#summary = summaryOf(batch, services);
    const isGlobal = batch.group_by === 'global';
    this.#batches = batch.enabled
      ? new Batches({
          connector: name,
          window: batch.window,
          maxSize: batch.max_size,
          bucketOf: ({ channel }) => (isGlobal ? 'global' : (channel ?? 'default')),
          send: (messages) => this.#sendTogether(messages),
          services,
        })
      : undefined;
  }

  /** Variables that are not set arrive as empty texts. */
  async open(): Promise<void> {
    const { webhook_url: webhook, token } = this.#config;
    if (webhook || token) return;
    throw new Failure('connector_refused', 'webhook_url and token are empty', { retriable: false });
  }

  async send(given: SlackMessage, limits: Limits): Promise<Sent> {
    const message = { ...given, channel: given.channel ?? (this.#config.channel || undefined) };
    const { text, blocks, attachments, thread_ts: thread, channel } = message;
    const isRich = blocks !== undefined || attachments !== undefined;
    if (text === undefined && !isRich) throw new Failure('value_refused', 'the message has no text');
    if (channel === undefined && !this.#config.webhook_url)
      throw new Failure('value_refused', 'the message has no channel');
    if (this.#batches === undefined || isRich || thread !== undefined) return this.#post(message, limits);
    // What is too large is refused before it waits.
    jsonBody(message);
    limits.signal?.throwIfAborted();
    return this.#batches.add(message);
  }

  /** Of an app; a webhook has no request that changes nothing. */
  async check(limits: Limits): Promise<void> {
    const { webhook_url: webhook, token, api_url: api } = this.#config;
    const { origin, pathname } = new URL(webhook || api);
    if (webhook) return this.#client.ask(origin, limits.timeout, limits.signal);
    const path = `${pathname.replace(/\/+$/, '')}/auth.test`;
    const headers = { ...json, authorization: `Bearer ${token}` };
    await this.#client.question({ origin, path, headers }, limits, (answer) => this.#posted(answer));
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.#batches?.close(cut);
  }

  /** What is for one channel is shown in no other, though all have waited together. */
  async #sendTogether(messages: readonly SlackMessage[]): Promise<Sent> {
    const byChannel = Map.groupBy(messages, ({ channel }) => channel);
    const sent = await Promise.allSettled([...byChannel.values()].map((each) => this.#sendToOne(each)));
    for (const each of sent) if (each.status === 'rejected') throw each.reason;
    return (sent.at(-1) as PromiseFulfilledResult<Sent>).value;
  }

  #sendToOne(messages: readonly SlackMessage[]): Promise<Sent> {
    const [first] = messages as readonly [SlackMessage];
    const limits = { timeout: this.#config.timeout };
    if (messages.length === 1) return this.#post(first, limits);
    const { channel } = first;
    return this.#post({ channel, text: this.#summary(messages, channel), mrkdwn: true }, limits);
  }

  async #post(message: Partial<SlackMessage>, limits: Limits): Promise<Sent> {
    const { webhook_url: webhook, token, api_url: api, username, icon_emoji, icon_url } = this.#config;
    const captured = () => ({
      provider: this.provider,
      medium: 'chat' as const,
      shown: {
        to: [message.channel ?? 'webhook'],
        from: message.username ?? (username || undefined),
        text: message.text,
      },
      answer: (ts: string) => ({ body: webhook ? 'ok' : JSON.stringify({ ok: true, ts, channel: message.channel }) }),
    });
    if (webhook) {
      const { origin, pathname, search } = new URL(webhook);
      const shown = {
        username: username || undefined,
        icon_emoji: icon_emoji || undefined,
        icon_url: icon_url || undefined,
      };
      const given = Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined));
      const outgoing = {
        origin,
        path: pathname + search,
        headers: json,
        body: jsonBody({ ...shown, ...given }),
        captured,
      };
      return this.#client.post(outgoing, limits, (answer) => this.#accepted(answer, message.channel));
    }
    const { origin, pathname } = new URL(api);
    const outgoing = {
      origin,
      path: `${pathname.replace(/\/+$/, '')}/chat.postMessage`,
      headers: { ...json, authorization: `Bearer ${token}` },
      body: jsonBody(message),
      captured,
    };
    return this.#client.post(outgoing, limits, (answer) => this.#posted(answer));
  }

  #accepted(answer: HttpAnswer, channel: string | undefined): Sent {
    if (answer.body.toString() !== 'ok') throw this.#client.unreadable(answer, '"ok"');
    return { channel };
  }

  #posted(answer: HttpAnswer): Sent {
    const { ok, ts, channel, error } = this.#client.json(answer);
    if (ok === true) return { message_id: ts as string, message_ts: ts, channel };
    if (ok !== false) throw this.#client.unreadable(answer, 'whether it was posted');
    throw this.#client.refused(`slack API error: ${String(error).slice(0, 200)}`, answer, temporary.includes(error));
  }
}
