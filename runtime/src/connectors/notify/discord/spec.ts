import { block, connector, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, providerAddress, sending } from '../spec.ts';
import { discordFields } from './message.ts';

/** Messages in channels of Discord. */
export const discord = connector({
  type: 'discord',
  typeAliases: ['community_chat'],
  canonical: 'community_chat',
  kind: 'notify',
  config: block({
    doc: 'Writes messages into channels of Discord, over a webhook or as a bot. Where both are configured, the webhook is used, but for messages that name a channel.',
    attributes: {
      webhook_url: text('Address of a webhook, which belongs to one channel.', {
        secret: true,
        pattern: { source: '^(https?://[^\\s/?#]+(/[^\\s#]*)?)?$', says: 'must be an http:// or https:// address' },
      }),
      bot_token: text('Token of a bot.', { secret: true }),
      api_url: providerAddress('https://discord.com/api/v10'),
      channel_id: text('Channel of messages that name no other, by the bot.'),
      username: text('Name that is shown as sender of messages over the webhook.'),
      avatar_url: text('Address of the picture of the sender of messages over the webhook.'),
      ...everyChannel,
    },
    rules: [
      { rule: 'atLeastOneOf', names: ['webhook_url', 'bot_token'] },
      { rule: 'requiredWhen', name: 'channel_id', when: 'webhook_url', is: [undefined] },
    ],
    example: `connector "community" {
  type       = "discord"
  bot_token  = env("DISCORD_TOKEN")
  channel_id = "1082000000000000000"
}`,
  }),
  words: actionWords,
  target: sending(discordFields, ({ target }, { webhook_url: webhook, bot_token: token }) =>
    target === undefined || webhook === undefined || token !== undefined
      ? undefined
      : {
          word: 'target',
          problem: 'a webhook writes into its own channel: remove it, or write bot_token in the connector',
        },
  ),
});
