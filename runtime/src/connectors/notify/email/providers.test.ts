import { describe, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { send } from '../testing/bed.ts';
import { failureOf, opened } from '../testing/opened.ts';
import type { Asked } from '../testing/provider.ts';
import { sendgridBed, sesBed } from './testing/beds.ts';

const full = {
  to: ['Ana <ana@example.org>', 'ben@example.org'],
  cc: { email: 'eva@example.org', name: 'Eva' },
  bcc: ['cleo@example.org', 'ana@example.org'],
  subject: 'Größe',
  textBody: 'Hello',
  htmlBody: '<p>Hello</p>',
  from_name: 'Büro',
  reply_to: 'answers@example.org',
  attachments: [
    { filename: 'a.csv', content: 'a,b c' },
    { filename: 'logo.png', content: 'aGVsbG8=', content_id: 'logo' },
  ],
  headers: { 'X-Order': '5' },
  tags: ['orders', 'first'],
};
const template = { to: 'ana@example.org', template_id: 'd-1', template_data: { order: 5 } };
const many = Array.from({ length: 1_000 }, (_, at) => `reader-${at}@example.org`);

describe('sendgrid', () => {
  test('a letter is one request with its parts, and the key', async () => {
    const { connector, messages } = await opened(sendgridBed);
    await send(connector, { payload: { ...full, track_opens: false, track_clicks: true } });
    const [{ method, url, headers, body }] = messages() as [Asked];
    expect([method, url, headers.authorization, headers['content-type']]).toEqual([
      'POST',
      '/v3/mail/send',
      'Bearer kept-secret-key',
      'application/json',
    ]);
    expect(JSON.parse(body)).toEqual({
      personalizations: [
        {
          to: [{ email: 'ana@example.org', name: 'Ana' }, { email: 'ben@example.org' }],
          cc: [{ email: 'eva@example.org', name: 'Eva' }],
          bcc: [{ email: 'cleo@example.org' }],
          subject: 'Größe',
        },
      ],
      from: { email: 'shop@example.org', name: 'Büro' },
      reply_to: { email: 'answers@example.org' },
      subject: 'Größe',
      content: [
        { type: 'text/plain', value: 'Hello' },
        { type: 'text/html', value: '<p>Hello</p>' },
      ],
      attachments: [
        {
          content: Buffer.from('a,b c').toString('base64'),
          filename: 'a.csv',
          type: 'text/csv',
          disposition: 'attachment',
        },
        { content: 'aGVsbG8=', filename: 'logo.png', type: 'image/png', disposition: 'inline', content_id: 'logo' },
      ],
      headers: { 'X-Order': '5' },
      categories: ['orders', 'first'],
      tracking_settings: { open_tracking: { enable: false }, click_tracking: { enable: true } },
    });
  });

  test('a template of the provider has the subject and the text, and its data', async () => {
    const { connector, messages } = await opened(sendgridBed);
    await send(connector, { payload: template });
    await send(connector, { payload: { to: 'ana@example.org', template_id: 'd-2', other: 5 } });
    expect(messages().map(({ body }) => JSON.parse(body))).toEqual([
      {
        personalizations: [{ to: [{ email: 'ana@example.org' }], dynamic_template_data: { order: 5 } }],
        from: { email: 'shop@example.org', name: 'Shop' },
        template_id: 'd-1',
      },
      {
        personalizations: [{ to: [{ email: 'ana@example.org' }], dynamic_template_data: {} }],
        from: { email: 'shop@example.org', name: 'Shop' },
        template_id: 'd-2',
      },
    ]);
  });

  test('several addresses for answers are a list', async () => {
    const { connector, messages } = await opened(sendgridBed);
    await send(connector, { payload: { ...full, reply_to: ['a@example.org', 'b@example.org'] } });
    const { reply_to, reply_to_list } = JSON.parse(messages()[0]?.body ?? '');
    expect([reply_to, reply_to_list]).toEqual([undefined, [{ email: 'a@example.org' }, { email: 'b@example.org' }]]);
  });

  test('more recipients than the provider takes are refused', async () => {
    const { connector, messages } = await opened(sendgridBed);
    const { message } = await failureOf(send(connector, { payload: { ...full, bcc: many } }));
    expect([message, messages()]).toEqual(['the provider takes at most 1000 recipients of one letter', []]);
  });

  test('a key that is empty stops the start', async () => {
    expect((await failureOf(opened(sendgridBed, { written: { api_key: '' } }))).message).toBe('api_key is empty');
  });
});

describe('ses', () => {
  test('a letter is one request with its parts, signed for the region', async () => {
    const written = { region: 'eu-central-1', configuration_set: 'shop' };
    const { connector, messages } = await opened(sesBed, { written });
    await send(connector, { payload: full });
    const [{ method, url, headers, body }] = messages() as [Asked];
    expect([method, url, headers.authorization]).toEqual([
      'POST',
      '/v2/email/outbound-emails',
      expect.stringMatching(/^AWS4-HMAC-SHA256 Credential=KEPTACCESSKEY\/\d{8}\/eu-central-1\/ses\/aws4_request, /),
    ]);
    expect(JSON.parse(body)).toEqual({
      FromEmailAddress: '=?utf-8?B?QsO8cm8=?= <shop@example.org>',
      Destination: {
        ToAddresses: ['"Ana" <ana@example.org>', 'ben@example.org'],
        CcAddresses: ['"Eva" <eva@example.org>'],
        BccAddresses: ['cleo@example.org'],
      },
      ReplyToAddresses: ['answers@example.org'],
      Content: {
        Simple: {
          Subject: { Data: 'Größe', Charset: 'UTF-8' },
          Body: { Text: { Data: 'Hello', Charset: 'UTF-8' }, Html: { Data: '<p>Hello</p>', Charset: 'UTF-8' } },
          Headers: [{ Name: 'X-Order', Value: '5' }],
          Attachments: [
            {
              FileName: 'a.csv',
              ContentType: 'text/csv',
              ContentDisposition: 'ATTACHMENT',
              ContentTransferEncoding: 'BASE64',
              RawContent: Buffer.from('a,b c').toString('base64'),
            },
            {
              FileName: 'logo.png',
              ContentType: 'image/png',
              ContentDisposition: 'INLINE',
              ContentId: 'logo',
              ContentTransferEncoding: 'BASE64',
              RawContent: 'aGVsbG8=',
            },
          ],
        },
      },
      ConfigurationSetName: 'shop',
      EmailTags: [
        { Name: 'tag', Value: 'orders' },
        { Name: 'tag_2', Value: 'first' },
      ],
    });
  });

  test('a template of the provider has the subject and the text, and its data', async () => {
    const { connector, messages } = await opened(sesBed);
    await send(connector, { payload: template });
    expect(JSON.parse(messages()[0]?.body ?? '').Content).toEqual({
      Template: { TemplateName: 'd-1', TemplateData: '{"order":5}' },
    });
  });

  test('more recipients than the provider takes are refused', async () => {
    const { connector, messages } = await opened(sesBed);
    const { message } = await failureOf(send(connector, { payload: { ...full, bcc: many.slice(0, 50) } }));
    expect([message, messages()]).toEqual(['the provider takes at most 50 recipients of one letter', []]);
  });

  test('credentials that have ended are not asked for again where the block has them', async () => {
    const body = { message: 'The security token included in the request is expired' };
    const { connector, messages } = await opened(sesBed, { answer: () => ({ status: 403, body }) });
    const failure = await failureOf(send(connector, { payload: full }));
    expect([failure.code, failure.retriable, messages().length]).toEqual(['upstream_error', false, 1]);
  });
});

test.each([
  ['sendgrid', sendgridBed],
  ['ses', sesBed],
])('%s sends the HTML of templates of the configuration too, and starts with no malformed one', async (_, bed) => {
  const directory = folderWith({ 'a.html': '<b>{{.name}}</b>', 'b.html': '{{' });
  const services = { directory };
  const { connector, messages } = await opened(bed, { written: { template: 'a.html' }, services });
  await send(connector, { payload: { to: 'ana@example.org', subject: 's', name: '<i>' } });
  expect(messages()[0]?.body).toContain('<b>&lt;i&gt;</b>');
  const failure = await failureOf(opened(bed, { written: { template: 'b.html' }, services }));
  expect(failure.message).toContain('the template "b.html" is malformed, line 1');
});
