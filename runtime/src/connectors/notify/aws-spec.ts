import { text } from '@svc/protocol/schema';
import { otherAddress } from './spec.ts';

/** What a connector to a service of AWS says of it. */
export const awsAttributes = {
  region: text('Region of the service.', {
    default: 'us-east-1',
    pattern: { source: '^[A-Za-z0-9-]+$', says: 'must be the name of a region' },
  }),
  access_key_id: text('Access key. Without keys they are looked for where programs for AWS find them.', {
    secret: true,
  }),
  secret_access_key: text('Secret of the access key.', { secret: true }),
  api_url: text('Address of the provider, instead of that of the region.', otherAddress),
} as const;

export const awsRules = [
  { rule: 'together', name: 'access_key_id', needs: ['secret_access_key'] },
  { rule: 'together', name: 'secret_access_key', needs: ['access_key_id'] },
] as const;
