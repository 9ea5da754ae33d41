import type { MessageFields } from '../message.ts';

/** The fields of a message of community chat. */
export const discordFields = {
  content: { doc: 'Text of the message.', kind: 'text', spellings: ['text', 'message'] },
  channel_id: {
    doc: 'Channel that the message goes to, by the bot; `channel_id` of the connector where it is absent.',
    kind: 'text',
    spellings: ['channel'],
    byTarget: true,
  },
  username: { doc: 'Name that is shown as sender, over a webhook.', kind: 'text' },
  avatar_url: { doc: 'Address of the picture of the sender, over a webhook.', kind: 'text' },
  tts: { doc: 'Whether the message is read aloud.', kind: 'flag' },
  thread_name: { doc: 'Title of the post that the message begins, in a channel of posts.', kind: 'text' },
  embeds: { doc: 'Embedded contents, as the provider defines them.', kind: 'data' },
  allowed_mentions: { doc: 'Who may be mentioned, as the provider defines it.', kind: 'data' },
  components: { doc: 'Interactive elements, as the provider defines them.', kind: 'data' },
  idempotency_key: {
    doc: 'Key by which the provider takes a message of the bot once, when it comes again within some minutes.',
    kind: 'text',
  },
} as const satisfies MessageFields;
