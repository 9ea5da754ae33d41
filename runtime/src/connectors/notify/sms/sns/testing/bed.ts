import type { ChannelBed } from '../../../testing/bed.ts';
import { smsFields } from '../../message.ts';
import { create } from '../connector.ts';
import { sns } from '../spec.ts';

/** What SNS answers to a message. */
const published = (id: string) =>
  `<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>${id}</MessageId></PublishResult><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></PublishResponse>`;

export const snsBed: ChannelBed = {
  spec: sns,
  create,
  fields: smsFields,
  written: (url) => ({ access_key_id: 'KEPTACCESSKEY', secret_access_key: 'kept-secret', api_url: `${url}/` }),
  message: (text) => ({ to: '+15005550009', body: text }),
  further: { from: 'SHOP' },
  textOf: ({ body }) => new URLSearchParams(body).get('Message'),
  taken: (id) => ({ headers: { 'content-type': 'text/xml' }, body: published(id) }),
  result: (id) => ({ message_id: id, provider: 'sns' }),
  health: { asked: 'POST /' },
  before: ({ body }) => (body.includes('Action=GetSMSAttributes') ? { body: '<Attributes/>' } : undefined),
  secrets: ['KEPTACCESSKEY', 'kept-secret'],
};
