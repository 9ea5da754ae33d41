import { block, connector, text } from '@svc/protocol/schema';
import { providerAddress, sending, templateWords } from '../../spec.ts';
import { letterAttributes } from '../spec.ts';
import { sendgridFields } from './message.ts';

/** Letters over SendGrid. */
export const sendgrid = connector({
  type: 'email',
  driver: 'sendgrid',
  driverAliases: ['email_api_provider'],
  canonical: 'email_api_provider',
  kind: 'notify',
  config: block({
    doc: 'Sends letters over SendGrid (v3).',
    attributes: {
      api_key: text('Key of the API.', { required: true, secret: true }),
      api_url: providerAddress('https://api.sendgrid.com'),
      ...letterAttributes,
    },
    example: `connector "mail" {
  type    = "email"
  driver  = "sendgrid"
  api_key = env("SENDGRID_KEY")
  from    = "Shop <shop@example.org>"
}`,
  }),
  words: templateWords,
  target: { ...sending(sendgridFields), checksFiles: true },
});
