import { block, connector, oneOf, text } from '@svc/protocol/schema';
import { awsAttributes, awsRules } from '../../aws-spec.ts';
import { actionWords, everyChannel, sending } from '../../spec.ts';
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
      ...awsAttributes,
      sender_id: text('Sender that is shown, where the country of the telephone permits it.'),
      sms_type: oneOf('Whether messages are advertisement or must arrive.', ['Transactional', 'Promotional'], {
        default: 'Transactional',
        synonyms: { transactional: 'Transactional', promotional: 'Promotional' },
      }),
      ...everyChannel,
    },
    rules: awsRules,
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
