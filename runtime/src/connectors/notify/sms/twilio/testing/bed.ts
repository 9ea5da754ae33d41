import type { ChannelBed } from '../../../testing/bed.ts';
import { smsFields } from '../../message.ts';
import { create } from '../connector.ts';
import { twilio } from '../spec.ts';

const account = 'AC00000000000000000000000000000005';

export const twilioBed: ChannelBed = {
  spec: twilio,
  create,
  fields: smsFields,
  written: (url) => ({ account_sid: account, auth_token: 'kept-secret', from: '+15005550006', api_url: url }),
  message: (text) => ({ to: '+15005550009', body: text }),
  further: { from: '+15005550001' },
  textOf: ({ body }) => new URLSearchParams(body).get('Body'),
  taken: (id) => ({ status: 201, body: { sid: id, status: 'queued' } }),
  result: (id) => ({ message_id: id, provider: 'twilio' }),
  health: { asked: `GET /2010-04-01/Accounts/${account}.json` },
  before: ({ method }) => (method === 'GET' ? { body: { status: 'active' } } : undefined),
  secrets: ['kept-secret', Buffer.from(`${account}:kept-secret`).toString('base64')],
};
