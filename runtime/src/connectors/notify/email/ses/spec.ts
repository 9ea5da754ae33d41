import { block, connector, text } from '@svc/protocol/schema';
import { otherAddress, sending, templateWords } from '../../spec.ts';
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
      region: text('Region of the service.', {
        default: 'us-east-1',
        pattern: { source: '^[A-Za-z0-9-]+$', says: 'must be the name of a region' },
      }),
      access_key_id: text('Access key. Without keys they are looked for where programs for AWS find them.', {
        secret: true,
      }),
      secret_access_key: text('Secret of the access key.', { secret: true }),
      configuration_set: text('Configuration set of letters, which says what is observed of them.'),
      api_url: text('Address of the provider, instead of that of the region.', otherAddress),
      ...letterAttributes,
    },
    rules: [
      { rule: 'together', name: 'access_key_id', needs: ['secret_access_key'] },
      { rule: 'together', name: 'secret_access_key', needs: ['access_key_id'] },
    ],
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
