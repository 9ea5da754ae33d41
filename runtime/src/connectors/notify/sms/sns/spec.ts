import { block, connector, oneOf, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, otherAddress, sending } from '../../spec.ts';
import { smsFields } from '../message.ts';

/** Text messages over Amazon SNS. */
export const sns = connector({
  type: 'sms',
  driver: 'sns',
  driverAliases: ['sms_provider_b'],
  canonical: 'sms_provider_b',
  kind: 'notify',
  config: block({
    doc: 'Sends text messages to telephones over Amazon SNS.',
    attributes: {
      region: text('Region of the service.', {
        default: 'us-east-1',
        pattern: { source: '^[A-Za-z0-9-]+$', says: 'must be the name of a region' },
      }),
      access_key_id: text('Access key. Without keys they are looked for where programs for AWS find them.', {
        secret: true,
      }),
      secret_access_key: text('Secret of the access key.', { secret: true }),
      sender_id: text('Sender that is shown, where the country of the telephone permits it.'),
      sms_type: oneOf('Whether messages are advertisement or must arrive.', ['Transactional', 'Promotional'], {
        default: 'Transactional',
        synonyms: { transactional: 'Transactional', promotional: 'Promotional' },
      }),
      api_url: text('Address of the provider, instead of that of the region.', otherAddress),
      ...everyChannel,
    },
    rules: [
      { rule: 'together', name: 'access_key_id', needs: ['secret_access_key'] },
      { rule: 'together', name: 'secret_access_key', needs: ['access_key_id'] },
    ],
    example: `connector "texts" {
  type      = "sms"
  driver    = "sns"
  region    = "eu-central-1"
  sender_id = "SHOP"
}`,
  }),
  words: actionWords,
  target: sending(smsFields),
});
