import { block, connector, flag, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, otherAddress, sending } from '../../spec.ts';
import { apnsFields } from './message.ts';

/** Push messages over the service of Apple. */
export const apns = connector({
  type: 'push',
  driver: 'apns',
  driverAliases: ['push_provider_b'],
  canonical: 'push_provider_b',
  kind: 'notify',
  config: block({
    doc: 'Sends push messages to apps over the Apple Push Notification service, all of them over one connection.',
    attributes: {
      team_id: text('Identifier of the team.', { required: true }),
      key_id: text('Identifier of the key.', { required: true }),
      private_key: text('Key that tokens are signed with: PEM, or the path of its file.', {
        required: true,
        secret: true,
      }),
      bundle_id: text('Identifier of the app, which is the topic of its messages.', {
        pattern: { source: '^[A-Za-z0-9.-]*$', says: 'must be the identifier of an app' },
      }),
      production: flag('Sends to apps of the store; else to those of the sandbox.', { default: false }),
      api_url: text('Address of the provider, instead of its own.', otherAddress),
      ...everyChannel,
    },
    example: `connector "apps" {
  type        = "push"
  driver      = "apns"
  team_id     = "TEAM123456"
  key_id      = "KEY1234567"
  private_key = "./keys/apns.p8"
  bundle_id   = "org.example.shop"
}`,
  }),
  words: actionWords,
  target: sending(apnsFields),
});
