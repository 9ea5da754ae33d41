import type { ChannelBed } from '../../testing/bed.ts';
import { create } from '../connector.ts';
import { slackFields } from '../message.ts';
import { slack } from '../spec.ts';

const both = {
  spec: slack,
  create,
  fields: slackFields,
  message: (text: string) => ({ text }),
  further: {
    channel: '#other',
    thread_ts: '1.5',
    username: 'Ops',
    icon_emoji: ':bell:',
    icon_url: 'https://example.org/a.png',
    unfurl_links: false,
    unfurl_media: true,
    mrkdwn: false,
    blocks: [{ type: 'divider' }],
    attachments: [{ text: 'a' }],
  },
  textOf: ({ body }: { body: string }) => JSON.parse(body).text,
};

/** An app, which sends each message at once. */
export const appBed: ChannelBed = {
  ...both,
  written: (url) => ({
    token: 'xoxb-kept-secret',
    api_url: `${url}/api`,
    channel: '#orders',
    batch: { enabled: false },
  }),
  taken: (id) => ({ body: { ok: true, ts: id, channel: 'C1' } }),
  result: (id) => ({ message_id: id, message_ts: id, channel: 'C1', provider: 'slack' }),
  secrets: ['xoxb-kept-secret'],
  health: { asked: 'POST /api/auth.test', refusal: { body: { ok: false, error: 'invalid_auth' } } },
  before: ({ url }) => (url.endsWith('/auth.test') ? { body: { ok: true } } : undefined),
  refusals: [
    [{ body: { ok: false, error: 'channel_not_found' } }, false],
    [{ body: { ok: false, error: 'internal_error' } }, true],
  ],
};

/** A webhook, which sends each message at once. */
export const webhookBed: ChannelBed = {
  ...both,
  written: (url) => ({ webhook_url: `${url}/services/T1/B1/kept-secret-hook`, batch: { enabled: false } }),
  taken: () => ({ body: 'ok' }),
  result: () => ({ provider: 'slack' }),
  secrets: ['kept-secret-hook'],
  hasNoIds: true,
};
