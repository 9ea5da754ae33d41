import { block, cel, connector, duration, flag, int, oneOf, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, providerAddress, sending } from '../spec.ts';
import { slackFields } from './message.ts';

/** Messages of a short time that are sent as one. */
export const batchBlock = block({
  doc: 'Sends the messages of a short time as one. They wait in the memory of the process: those of a process that is killed are lost.',
  attributes: {
    enabled: flag('Whether messages wait for others; else each is sent at once.', { default: true }),
    window: duration('How long the first message waits for others.', { default: 3_000, min: 1, max: 3_600_000 }),
    max_size: int('Messages that are sent without waiting any longer.', { default: 50, min: 1, max: 1_000 }),
    group_by: oneOf(
      'Which messages wait together: those of a channel, or all of them. Each is shown in its own channel.',
      ['channel', 'global'],
      { default: 'channel' },
    ),
    summary: cel(
      'The text that is sent for several messages: `messages` have `text`, `channel` and `username`, `count` is their number, `channel` where it goes, `window` how long was waited. When it fails, the built-in text is sent, which lists them.',
      {
        reads: ['messages', 'count', 'channel', 'window'],
        gives: 'string',
        example: `"string(count) + ' events, the last one: ' + messages[count - 1].text"`,
      },
    ),
  },
});

/** Messages in channels of Slack. */
export const slack = connector({
  type: 'slack',
  typeAliases: ['team_chat'],
  canonical: 'team_chat',
  kind: 'notify',
  config: block({
    doc: 'Writes messages into channels of Slack, over an incoming webhook or as an app. Where both are configured, the webhook is used.',
    attributes: {
      webhook_url: text('Address of an incoming webhook.', {
        secret: true,
        pattern: { source: '^(https?://[^\\s/?#]+(/[^\\s#]*)?)?$', says: 'must be an http:// or https:// address' },
      }),
      token: text('Token of an app or of a user.', { secret: true }),
      api_url: providerAddress('https://slack.com/api'),
      channel: text('Channel of messages that name no other.', { example: '"#orders"' }),
      username: text('Name that is shown as sender of messages over the webhook.'),
      icon_emoji: text('Emoji that is shown as picture of the sender, over the webhook.', { example: '":package:"' }),
      icon_url: text('Address of the picture of the sender, over the webhook.'),
      ...everyChannel,
    },
    blocks: { batch: batchBlock },
    rules: [{ rule: 'atLeastOneOf', names: ['webhook_url', 'token'] }],
    example: `connector "team" {
  type    = "slack"
  token   = env("SLACK_TOKEN")
  channel = "#orders"

  batch {
    window   = "10s"
    max_size = 20
  }
}`,
  }),
  words: actionWords,
  target: sending(slackFields),
});
