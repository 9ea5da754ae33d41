import { block, connector, text } from '@svc/protocol/schema';
import { awsAttributes, awsRules } from '../../aws-spec.ts';
import { sending, templateWords } from '../../spec.ts';
import { letterAttributes } from '../spec.ts';
import { sesFields } from './message.ts';

/** Letters over Amazon SES. */
export const ses = connector({
  type: 'email',
  driver: 'ses',
  driverAliases: ['email_cloud_provider'],
  canonical: 'email_cloud_provider',
  kind: 'notify',
  config: block({
    doc: 'Sends letters over Amazon SES (v2).',
    attributes: {
      ...awsAttributes,
      configuration_set: text('Configuration set of letters, which says what is observed of them.'),
      ...letterAttributes,
    },
    rules: awsRules,
    example: `connector "mail" {
  type   = "email"
  driver = "ses"
  region = "eu-central-1"
  from   = "Shop <shop@example.org>"
}`,
  }),
  words: templateWords,
  target: { ...sending(sesFields), checksFiles: true },
});
