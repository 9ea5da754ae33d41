import { expect } from 'vitest';
import { textIn } from '../../../../../../test/support/mail-server.ts';
import type { ChannelBed } from '../../testing/bed.ts';
import { create as createSendgrid } from '../sendgrid/connector.ts';
import { sendgridFields } from '../sendgrid/message.ts';
import { sendgrid } from '../sendgrid/spec.ts';
import { create as createSes } from '../ses/connector.ts';
import { sesFields } from '../ses/message.ts';
import { ses } from '../ses/spec.ts';
import { create as createSmtp } from '../smtp/connector.ts';
import { smtpFields } from '../smtp/message.ts';
import { smtp } from '../smtp/spec.ts';
import { MailProvider } from './mail-provider.ts';

const message = (text: string) => ({ to: 'Ana <ana@example.org>', subject: 'Your order', textBody: text });

const further = {
  cc: ['ben@example.org', { email: 'eva@example.org', name: 'Eva' }],
  bcc: 'cleo@example.org',
  htmlBody: '<p>Hello</p>',
  from: { email: 'other@example.org', name: 'Other' },
  from_name: 'The shop',
  reply_to: 'answers@example.org',
  attachments: [{ filename: 'a.txt', content: 'Hello there' }],
  headers: { 'X-Order': '5' },
};

const ofProviders = { template_id: 'd-1', tags: ['orders'] };
const credentials = { user: 'shop', pass: 'kept-secret-password' };

/** SMTP, without TLS on loopback. */
export const smtpBed: ChannelBed = {
  spec: smtp,
  create: createSmtp,
  fields: smtpFields,
  start: (answer) => MailProvider.start(answer, credentials),
  written: (url) => ({
    host: new URL(url).hostname,
    port: Number(new URL(url).port),
    tls: { mode: 'none' },
    username: credentials.user,
    password: credentials.pass,
    from: 'Shop <shop@example.org>',
  }),
  message,
  required: ['to', 'subject', 'textBody'],
  further,
  textOf: ({ body }) => textIn(body),
  taken: (id) => ({ body: id }),
  result: (id) => ({
    message_id: expect.stringMatching(/^<[\w-]+@example\.org>$/),
    response: expect.stringContaining(`queued as ${id}`),
    recipients: [{ email: 'ana@example.org', success: true }],
  }),
  idIn: ({ response }) => /queued as (\S+)/.exec(String(response))?.[1],
  statuses: [
    [421, true],
    [450, true],
    [452, true],
    [550, false],
    [554, false],
  ],
  speaksAnother: true,
  secrets: [
    credentials.pass,
    Buffer.from(credentials.pass).toString('base64'),
    Buffer.from(`\0${credentials.user}\0${credentials.pass}`).toString('base64'),
  ],
};

export const sendgridBed: ChannelBed = {
  spec: sendgrid,
  create: createSendgrid,
  fields: sendgridFields,
  written: (url) => ({ api_key: 'kept-secret-key', api_url: `${url}/`, from: 'Shop <shop@example.org>' }),
  message,
  required: ['to', 'subject', 'textBody'],
  further: { ...further, ...ofProviders, track_opens: true, track_clicks: false },
  textOf: ({ body }) => JSON.parse(body).content?.[0].value,
  taken: (id) => ({ status: 202, headers: { 'x-message-id': id }, body: '' }),
  result: (id) => ({ message_id: id, provider: 'sendgrid' }),
  health: { asked: 'GET /v3/scopes' },
  before: ({ method }) => (method === 'GET' ? { body: { scopes: ['mail.send'] } } : undefined),
  secrets: ['kept-secret-key'],
};

export const sesBed: ChannelBed = {
  spec: ses,
  create: createSes,
  fields: sesFields,
  written: (url) => ({
    access_key_id: 'KEPTACCESSKEY',
    secret_access_key: 'kept-secret',
    api_url: url,
    from: 'Shop <shop@example.org>',
  }),
  message,
  required: ['to', 'subject', 'textBody'],
  further: { ...further, ...ofProviders },
  textOf: ({ body }) => JSON.parse(body).Content.Simple?.Body.Text?.Data,
  taken: (id) => ({ body: { MessageId: id } }),
  result: (id) => ({ message_id: id, provider: 'ses' }),
  health: { asked: 'GET /v2/email/account' },
  before: ({ method }) => (method === 'GET' ? { body: { SendingEnabled: true } } : undefined),
  secrets: ['KEPTACCESSKEY', 'kept-secret'],
};
