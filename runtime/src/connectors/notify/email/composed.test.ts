import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { headersIn, partsIn, textIn } from '../../../../../test/support/mail-server.ts';
import { messageReader } from '../message.ts';
import { ProviderClient } from '../provider-client.ts';
import { SendgridChannel } from './sendgrid/channel.ts';
import { sendgridFields } from './sendgrid/message.ts';
import { sendgrid } from './sendgrid/spec.ts';
import { SesChannel } from './ses/channel.ts';
import { sesFields } from './ses/message.ts';
import { ses } from './ses/spec.ts';
import { SmtpChannel } from './smtp/channel.ts';
import { smtpFields } from './smtp/message.ts';
import { smtp } from './smtp/spec.ts';

const services = connectorServices({ directory: folderWith({ 'letters/a.html': '<b>{{.name}}</b>' }) });
const written = { from: 'Shop <shop@example.org>', template: 'letters/a.html' };
const given = { to: 'Ana <ana@example.org>', bcc: 'b@example.org', subject: 'Größe', text: 'Hello', name: '<Ana>' };
const signal = new AbortController().signal;
const parts = {
  from: '"Shop" <shop@example.org>',
  to: ['"Ana" <ana@example.org>'],
  cc: [],
  bcc: ['b@example.org'],
  subject: 'Größe',
  text: 'Hello',
  html: '<b>&lt;Ana&gt;</b>',
};

test('a letter over SMTP is composed without a connection', async () => {
  const channel = new SmtpChannel('mail', configured(smtp.config, { ...written, host: 'away.invalid' }), services);
  const { raw, messageId, ...composed } = await channel.compose(
    messageReader(smtpFields)(given, undefined),
    given,
    signal,
  );
  expect(composed).toEqual(parts);
  expect(headersIn(raw.toString('latin1'))['message-id']).toBe(messageId);
  expect(partsIn(raw.toString('latin1')).map(textIn)).toEqual(['Hello', '<b>&lt;Ana&gt;</b>']);
});

test('letters over providers are composed without a connection, with their requests', async () => {
  const client = new ProviderClient(services, []);
  const overSendgrid = new SendgridChannel(
    configured(sendgrid.config, { ...written, api_key: 'kept' }),
    services,
    client,
  );
  const first = await overSendgrid.compose(messageReader(sendgridFields)(given, undefined), given, signal);
  const overSes = new SesChannel(configured(ses.config, { ...written, region: 'eu-central-1' }), services, client);
  const second = await overSes.compose(messageReader(sesFields)(given, undefined), given, signal);
  const addresses = [
    'https://api.sendgrid.com/v3/mail/send',
    'https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails',
  ];
  expect([first, second]).toEqual(
    addresses.map((url) => ({ ...parts, raw: expect.any(Buffer), request: { method: 'POST', url } })),
  );
  expect(JSON.parse(first.raw.toString()).content).toHaveLength(2);
  expect(JSON.parse(second.raw.toString()).Content.Simple.Body.Html.Data).toBe('<b>&lt;Ana&gt;</b>');
  expect(first.raw.toString()).not.toContain('kept');
});
