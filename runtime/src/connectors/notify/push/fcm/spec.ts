import { block, connector, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, providerAddress, sending } from '../../spec.ts';
import { fcmFields } from './message.ts';

/** Push messages over Firebase Cloud Messaging. */
export const fcm = connector({
  type: 'push',
  driver: 'fcm',
  driverAliases: ['push_provider_a'],
  canonical: 'push_provider_a',
  kind: 'notify',
  config: block({
    doc: 'Sends push messages to apps over Firebase Cloud Messaging (HTTP v1).',
    attributes: {
      service_account_json: text('Key of a service account: its JSON, or the path of its file.', {
        required: true,
        secret: true,
      }),
      project_id: text('Project, instead of that of the key.'),
      server_key: text('Key of the API that the provider has ended.', { secret: true }),
      api_url: providerAddress('https://fcm.googleapis.com'),
      ...everyChannel,
    },
    rules: [{ rule: 'refused', name: 'server_key', says: 'its API has ended: write service_account_json' }],
    example: `connector "apps" {
  type                 = "push"
  driver               = "fcm"
  service_account_json = "./keys/firebase.json"
}`,
  }),
  words: actionWords,
  target: sending(fcmFields),
});
