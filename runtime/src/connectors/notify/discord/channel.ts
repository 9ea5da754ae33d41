import { createHash } from 'node:crypto';
import type { Values } from '@svc/protocol/schema';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { HttpAnswer } from '../../../platform/net/request.ts';
import type { Channel, Limits, Sent } from '../channel.ts';
import { jsonBody, type Message } from '../message.ts';
import type { Captured, Outgoing, ProviderClient } from '../provider-client.ts';
import { discordFields } from './message.ts';
import type { discord } from './spec.ts';

/** What its block says. */
export type DiscordConfig = Values<(typeof discord)['config']>;
type DiscordMessage = Message<typeof discordFields>;

const channelName = /^[\w-]{1,100}$/;
/** Characters that the provider takes of a nonce. */
const longestNonce = 25;

/** Messages over a webhook, or by a bot. */
export class DiscordChannel implements Channel<typeof discordFields> {
  readonly fields = discordFields;
  readonly provider = 'discord';
  readonly #config: DiscordConfig;
  readonly #client: ProviderClient;

  constructor(config: DiscordConfig, client: ProviderClient) {
    this.#config = config;
    this.#client = client;
  }

  /** Variables that are not set arrive as empty texts. */
  async open(): Promise<void> {
    const { webhook_url: webhook, bot_token: token } = this.#config;
    if (webhook || token) return;
    throw new Failure('connector_refused', 'webhook_url and bot_token are empty', { retriable: false });
  }

  async send(message: DiscordMessage, limits: Limits): Promise<Sent> {
    if (!message.content && ![message.embeds, message.components].some((data) => data !== undefined))
      throw new Failure('value_refused', 'the message has no content');
    return this.#client.post(this.#outgoing(message), limits, (answer) => this.#sent(answer));
  }

  /** Of a bot; a webhook has no request that changes nothing. */
  async check(limits: Limits): Promise<void> {
    const { bot_token: token, webhook_url: webhook, api_url: api } = this.#config;
    const { origin, pathname } = new URL(token ? api : (webhook as string));
    if (!token) return this.#client.ask(origin, limits.timeout, limits.signal);
    const path = `${pathname.replace(/\/+$/, '')}/users/@me`;
    const headers = { accept: 'application/json', authorization: `Bot ${token}` };
    await this.#client.question({ method: 'GET', origin, path, headers }, limits, () => undefined);
  }

  #outgoing(message: DiscordMessage): Outgoing {
    const { webhook_url: webhook, bot_token: token } = this.#config;
    const byBot = token && (!webhook || message.channel_id !== undefined);
    return byBot ? this.#byBot(message, token) : this.#overWebhook(message, new URL(webhook as string));
  }

  #overWebhook(message: DiscordMessage, url: URL): Outgoing {
    const { channel_id, idempotency_key, ...sent } = message;
    if (channel_id !== undefined)
      throw new Failure('value_refused', 'a webhook writes into its own channel: channel_id needs bot_token');
    if (idempotency_key !== undefined)
      throw new Failure('value_refused', 'a webhook knows no idempotency_key: it needs bot_token');
    const { username, avatar_url } = this.#config;
    const body = jsonBody({ ...sent, username: sent.username ?? username, avatar_url: sent.avatar_url ?? avatar_url });
    url.searchParams.set('wait', 'true');
    const captured = () => this.#captured({ ...sent, username: sent.username ?? username }, 'webhook');
    return { origin: url.origin, path: url.pathname + url.search, headers: json, body, captured };
  }

  #byBot(message: DiscordMessage, token: string): Outgoing {
    const { channel_id = this.#config.channel_id, username, avatar_url, idempotency_key: key, ...sent } = message;
    if (!channel_id) throw new Failure('value_refused', 'the message has no channel_id');
    // It becomes a part of a path.
    if (!channelName.test(channel_id))
      throw new Failure('value_refused', 'channel_id is not the identifier of a channel');
    const url = new URL(this.#config.api_url);
    const nonce = key && createHash('sha256').update(key).digest('base64url').slice(0, longestNonce);
    return {
      origin: url.origin,
      path: `${url.pathname.replace(/\/+$/, '')}/channels/${channel_id}/messages`,
      headers: { ...json, authorization: `Bot ${token}` },
      body: jsonBody({ ...sent, nonce, enforce_nonce: nonce && true }),
      captured: () => this.#captured(sent, channel_id),
    };
  }

  #captured({ content, username, thread_name }: Partial<DiscordMessage>, channel: string): Captured {
    return {
      provider: this.provider,
      medium: 'chat',
      shown: { to: [channel], from: username, title: thread_name, text: content },
      answer: (id) => ({ body: JSON.stringify({ id, channel_id: channel }) }),
    };
  }

  #sent(answer: HttpAnswer): Sent {
    const { id, channel_id } = this.#client.json(answer);
    if (typeof id !== 'string') throw this.#client.unreadable(answer, 'a message with its id');
    return { message_id: id, channel_id };
  }
}

const json = { 'content-type': 'application/json', accept: 'application/json' } as const;
