import { block, connector, text } from '@svc/protocol/schema';
import { actionWords, everyChannel, providerAddress, sending } from '../../spec.ts';
import { smsFields } from '../message.ts';

/** Text messages over Twilio. */
export const twilio = connector({
  type: 'sms',
  driver: 'twilio',
  driverAliases: ['sms_provider_a'],
  canonical: 'sms_provider_a',
  kind: 'notify',
  config: block({
    doc: 'Sends text messages to telephones over Twilio.',
    attributes: {
      account_sid: text('Identifier of the account.', { required: true }),
      auth_token: text('Token of the account.', { required: true, secret: true }),
      from: text('Number that messages come from, or the identifier of a messaging service (`MG…`).', {
        required: true,
      }),
      api_url: providerAddress('https://api.twilio.com'),
      ...everyChannel,
    },
    example: `connector "texts" {
  type        = "sms"
  driver      = "twilio"
  account_sid = env("TWILIO_ACCOUNT")
  auth_token  = env("TWILIO_TOKEN")
  from        = "+15005550006"
}`,
  }),
  words: actionWords,
  target: sending(smsFields),
});
