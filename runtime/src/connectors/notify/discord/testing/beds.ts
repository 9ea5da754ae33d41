import type { ChannelBed } from '../../testing/bed.ts';
import { create } from '../connector.ts';
import { discordFields } from '../message.ts';
import { discord } from '../spec.ts';

const both = {
  spec: discord,
  create,
  message: (text: string) => ({ content: text }),
  textOf: ({ body }: { body: string }) => JSON.parse(body).content,
  taken: (id: string) => ({ body: { id, channel_id: '22', content: 'x' } }),
  result: (id: string) => ({ message_id: id, channel_id: '22', provider: 'discord' }),
};

const data = {
  tts: true,
  thread_name: 'Releases',
  embeds: [{ title: 'A' }],
  allowed_mentions: { parse: [] },
  components: [{ type: 1 }],
};

/** A bot. */
export const botBed: ChannelBed = {
  ...both,
  fields: discordFields,
  written: (url) => ({ bot_token: 'kept-secret-token', api_url: `${url}/api/v10/`, channel_id: '11' }),
  further: { ...data, channel_id: '33', idempotency_key: 'order 5' },
  secrets: ['kept-secret-token'],
  health: { asked: 'GET /api/v10/users/@me' },
  before: ({ url }) => (url.endsWith('/users/@me') ? { body: { id: '1' } } : undefined),
};

const { channel_id: _channel, idempotency_key: _key, ...webhookFields } = discordFields;

/** A webhook. */
export const webhookBed: ChannelBed = {
  ...both,
  fields: webhookFields,
  written: (url) => ({ webhook_url: `${url}/api/webhooks/11/kept-secret-hook?thread_id=7` }),
  further: { ...data, username: 'Ops', avatar_url: 'https://example.org/a.png' },
  secrets: ['kept-secret-hook'],
};
