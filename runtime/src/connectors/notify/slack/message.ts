import type { MessageFields } from '../message.ts';

/** The fields of a message of team chat. */
export const slackFields = {
  channel: {
    doc: 'Channel that the message goes to; `channel` of the connector where it is absent.',
    kind: 'text',
    byTarget: true,
  },
  text: { doc: 'Text of the message.', kind: 'text', spellings: ['message', 'body'] },
  thread_ts: { doc: 'Message that this one replies to. It is sent at once.', kind: 'text' },
  username: { doc: 'Name that is shown as sender.', kind: 'text' },
  icon_emoji: { doc: 'Emoji that is shown as picture of the sender.', kind: 'text' },
  icon_url: { doc: 'Address of the picture of the sender.', kind: 'text' },
  unfurl_links: { doc: 'Whether links are shown with what they lead to.', kind: 'flag' },
  unfurl_media: { doc: 'Whether links to media are shown with these.', kind: 'flag' },
  mrkdwn: { doc: 'Whether the text has the markup of the provider.', kind: 'flag' },
  blocks: { doc: 'Blocks, as the provider defines them. The message is sent at once.', kind: 'data' },
  attachments: { doc: 'Attachments, as the provider defines them. The message is sent at once.', kind: 'data' },
} as const satisfies MessageFields;
