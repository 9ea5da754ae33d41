import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { headersIn, partsIn, textIn } from '../../../../../test/support/mail-server.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import type { CallDescription, Execute } from '../../../foundation/contracts/target.ts';
import { create as createFiles } from '../../files/local/connector.ts';
import { file } from '../../files/local/spec.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { send } from '../testing/bed.ts';
import { failureOf } from '../testing/opened.ts';
import { openCorrespondence } from './testing/letters.ts';

const html = { to: 'ana@example.org', text: undefined };
const htmlOf = (raw: string | undefined) => textIn(partsIn(raw ?? '').at(-1) ?? '');

describe('addresses', () => {
  test('are texts, maps and lists of them, and domains become ASCII', async () => {
    const { mail, sendLetter } = await openCorrespondence();
    const written: [unknown, string[], string][] = [
      ['ana@example.org', ['ana@example.org'], 'ana@example.org'],
      ['Ana <ana@example.org>', ['ana@example.org'], 'Ana <ana@example.org>'],
      [{ email: 'ana@example.org', name: 'Ana "A" B, C' }, ['ana@example.org'], '"Ana \\"A\\" B, C" <ana@example.org>'],
      [
        ['ana@example.org', { email: 'ben@bücher.example', name: null }],
        // The server shows it as it reads it.
        ['ana@example.org', 'ben@bücher.example'],
        'ana@example.org, ben@xn--bcher-kva.example',
      ],
      [['Ana@Example.org', 'Ana@example.org'], ['Ana@example.org'], 'Ana@example.org'],
    ];
    for (const [to] of written) await sendLetter({ to });
    expect(mail.letters.map(({ to, raw }) => [to, headersIn(raw)['to']])).toEqual(
      written.map(([, addresses, shown]) => [addresses, shown]),
    );
  });

  test.each([
    ['ana@example.org, ben@example.org'],
    ['ana@example.org\r\nBcc: eve@example.org'],
    ['<ana@example.org> <ben@example.org>'],
    ['ana@example.org>'],
    ['ana'],
    ['@example.org'],
    ['ana@'],
    ['ana@exa mple.org'],
    ['ana@example.org/x'],
    ['"a\nb" <ana@example.org>'],
    ['größe@example.org'],
    [{ email: 'ana@example.org', name: 'a\r\nBcc: eve@example.org' }],
    [{ email: 'ana@example.org>\r\nRCPT TO:<eve@example.org' }],
    [{ name: 'Ana' }],
    [['ana@example.org', 'ben']],
    [`${'a'.repeat(65)}@example.org`],
    [`a@${'a.'.repeat(200)}org`],
  ])('S-54: %j is not one, and nothing is sent', async (to) => {
    const { mail, sendLetter } = await openCorrespondence();
    expect((await failureOf(sendLetter({ to }))).code).toBe('value_refused');
    expect((await failureOf(sendLetter({ cc: to, bcc: to, reply_to: to }))).code).toBe('value_refused');
    expect(mail.letters).toEqual([]);
  });

  test('a letter to no one is refused', async () => {
    const { sendLetter } = await openCorrespondence();
    for (const to of [[], '', null])
      expect((await failureOf(sendLetter({ to }))).message).toBe('the message has no to');
  });

  test('the sender is that of the letter, else that of the connector, and so are its name and where answers go', async () => {
    const { mail, sendLetter } = await openCorrespondence({
      written: { from: 'Shop <shop@example.org>', from_name: 'The shop', reply_to: 'help@example.org' },
    });
    await sendLetter();
    await sendLetter({ from: 'Ben <ben@example.org>' });
    await sendLetter({ from: 'ben@example.org', from_name: 'Ben', reply_to: 'b@example.org', reply_to_name: 'B' });
    expect(mail.letters.map(({ from, raw }) => [from, headersIn(raw)['from'], headersIn(raw)['reply-to']])).toEqual([
      ['shop@example.org', 'The shop <shop@example.org>', 'help@example.org'],
      ['ben@example.org', 'Ben <ben@example.org>', 'help@example.org'],
      ['ben@example.org', 'Ben <ben@example.org>', 'B <b@example.org>'],
    ]);
    const without = await openCorrespondence({ written: { from: undefined } });
    expect((await failureOf(without.sendLetter())).message).toBe(
      'the message has no from, and neither has the connector',
    );
  });
});

describe('S-54: headers', () => {
  test('of a message are sent, and each is one line', async () => {
    const { mail, sendLetter } = await openCorrespondence();
    await sendLetter({ headers: { 'List-Unsubscribe': '<https://example.org/x>', 'X-Größe': null, 'X-Count': 5 } });
    expect(headersIn(mail.letters[0]?.raw ?? '')).toMatchObject({
      'list-unsubscribe': '<https://example.org/x>',
      'x-count': '5',
    });
  });

  test.each([
    ['Bcc', 'eve@example.org'],
    ['from', 'eve@example.org'],
    ['Content-Type', 'text/html'],
    ['DKIM-Signature', 'x'],
    ['Message-ID', '<x@y>'],
    ['X-A\r\nBcc', 'eve@example.org'],
    ['X-A: b', 'c'],
    ['', 'c'],
    ['X-A', 'b\r\nBcc: eve@example.org'],
    ['X-A', 'b\u2028c'],
    ['X-A', { b: 1 }],
    ['X-A', 'x'.repeat(2_001)],
  ])('%j: %j is refused', async (name, value) => {
    const { mail, sendLetter } = await openCorrespondence();
    const { code, message } = await failureOf(sendLetter({ headers: { [name]: value } }));
    expect([code, message.includes('eve@'), mail.letters]).toEqual(['value_refused', false, []]);
  });
});

describe('templates', () => {
  const files = {
    'letters/order.html': '<p title="{{.title}}">{{.customer.name}}: {{range .items}}{{.}};{{else}}nothing{{end}}</p>',
    'letters/more/other.html': '<b>{{printf "%d" (len .items)}}</b>',
    'letters/broken.html': '<p>\n{{if .x}}',
    'letters/pipe.html': '{{.x | len}}',
    'templates/plain.html': '<i>{{.subject}}</i>',
    'secret.html': 'a secret',
  };
  const directory = folderWith(files);
  symlinkSync(join(directory, 'secret.html'), join(directory, 'letters/link.html'));
  const services = { directory };
  const written = { template: './letters/order.html' };

  test('print the message, or the data that it has for them, escaped by their place', async () => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    await sendLetter({ ...html, customer: { name: '<b>Ana</b>' }, title: '" onclick="x', items: ['a', '&'] });
    await sendLetter({ ...html, template_data: { customer: { name: 'Ben' }, title: '', items: [] } });
    await sendLetter({ ...html, html: '<p>own</p>' });
    expect(mail.letters.map(({ raw }) => htmlOf(raw))).toEqual([
      '<p title="&#34; onclick=&#34;x">&lt;b&gt;Ana&lt;/b&gt;: a;&amp;;</p>',
      '<p title="">Ben: nothing</p>',
      '<p>own</p>',
    ]);
  });

  test('are those of the folder, which a letter names below it or as the connector does', async () => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    const names = ['more/other.html', './letters/more/other.html', '/more/other.html'];
    for (const template of names) await sendLetter({ ...html, template, items: [1, 2] });
    expect(mail.letters.map(({ raw }) => htmlOf(raw))).toEqual(names.map(() => '<b>2</b>'));
  });

  test('are those that an action names, where the letter does not name one', async () => {
    const { connector, mail } = await openCorrespondence({ written, services });
    const letter = { to: 'ana@example.org', subject: 'a', template_data: { items: [1, 2] } };
    await send(connector, { payload: letter, words: { template: 'more/other.html' } });
    await send(connector, { payload: { ...letter, template: 'more/other.html' }, words: { template: 'absent.html' } });
    expect(mail.letters.map(({ raw }) => htmlOf(raw))).toEqual(['<b>2</b>', '<b>2</b>']);
  });

  test('are in the folder templates where the connector names none', async () => {
    const { mail, sendLetter } = await openCorrespondence({ services });
    for (const template of ['plain.html', 'templates/plain.html']) await sendLetter({ ...html, template });
    expect(mail.letters.map(({ raw }) => htmlOf(raw))).toEqual(['<i>Hello</i>', '<i>Hello</i>']);
  });

  test.each([
    '../secret.html',
    'more/../../secret.html',
    '..%2fsecret.html',
    '..\\secret.html',
    './letters/../secret.html',
    `${directory}/secret.html`,
    'link.html',
    'absent.html',
    'more',
    'a\0b',
  ])('S-54: a letter that names %j is refused, and sees nothing outside of the folder', async (template) => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    const { code } = await failureOf(sendLetter({ ...html, template }));
    expect([code, mail.letters]).toEqual(['value_refused', []]);
  });

  test('that are malformed stop the start, with their line, or refuse the letter that names them', async () => {
    for (const template of ['letters/broken.html', 'letters/pipe.html', 'letters/absent.html'])
      expect((await failureOf(openCorrespondence({ written: { template }, services }))).message).toMatch(
        /^the template "\w+\.html" (?:is malformed, line \d: |does not exist)/,
      );
    const { sendLetter } = await openCorrespondence({ written, services });
    expect((await failureOf(sendLetter({ ...html, template: 'broken.html' }))).code).toBe('value_refused');
  });

  test('are read again when they have changed', async () => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    await sendLetter({ ...html, template: 'more/other.html', items: [] });
    writeFileSync(join(directory, 'letters/more/other.html'), '<u>changed</u>');
    await sendLetter({ ...html, template: 'more/other.html' });
    expect(mail.letters.map(({ raw }) => htmlOf(raw))).toEqual(['<b>0</b>', '<u>changed</u>']);
  });
});

describe('attachments', () => {
  const directory = folderWith({ 'invoices/5.pdf': 'a document', 'other/6.pdf': 'another', 'large.bin': '' });
  writeFileSync(join(directory, 'invoices/large.bin'), Buffer.alloc(3_000_000));
  const services = {
    directory,
    lookup: (connector: string, call: CallDescription): Execute => {
      const files = createFiles(
        connector,
        configured(file.config, { base_path: connector === 'invoices' ? './invoices' : './other' }),
        connectorServices({ directory }),
      );
      const opened = files.open(new AbortController().signal);
      return async (request) => {
        await opened;
        return (files as TargetConnector).target.prepare(call)(request);
      };
    },
  };
  const written = { attachments_from: ['invoices'], max_attachments: 2_000_000 };
  const shown = (raw: string | undefined) =>
    partsIn(raw ?? '')
      .slice(1)
      .map((part) => {
        const headers = headersIn(part);
        return [headers['content-type'], headers['content-disposition'], textIn(part)];
      });

  test('are texts, base64, documents, uploads, and files of a connector', async () => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    const bytes = Buffer.from('an upload');
    const upload = new Content(
      {
        size: bytes.length,
        once: false,
        inMemory: bytes,
        stream: () => {
          throw new Error('it is in memory');
        },
        read: () => bytes,
      },
      { filename: '../../scan.png', contentType: 'image/png' },
      bytes,
    );
    const attachments = [
      { filename: 'a.csv', content: 'a,b\r\n1,2' },
      { filename: 'b.bin', content: Buffer.from('some bytes').toString('base64') },
      { filename: 'c.txt', content: 'abcd', encoding: 'text' },
      { _filename: 'd.pdf', _content_type: 'application/pdf', _binary: Buffer.from('%PDF').toString('base64') },
      upload,
      { connector: 'invoices', path: '5.pdf' },
      { connector: 'invoices', key: '5.pdf', filename: 'invoice.pdf', content_type: 'application/x-invoice' },
    ];
    await sendLetter({ attachments });
    expect(shown(mail.letters[0]?.raw)).toEqual([
      ['text/csv; name=a.csv', 'attachment; filename=a.csv', 'a,b\r\n1,2'],
      ['application/octet-stream; name=b.bin', 'attachment; filename=b.bin', 'some bytes'],
      ['text/plain; name=c.txt', 'attachment; filename=c.txt', 'abcd'],
      ['application/pdf; name=d.pdf', 'attachment; filename=d.pdf', '%PDF'],
      ['image/png; name=scan.png', 'attachment; filename=scan.png', 'an upload'],
      ['application/pdf; name=5.pdf', 'attachment; filename=5.pdf', 'a document'],
      ['application/x-invoice; name=invoice.pdf', 'attachment; filename=invoice.pdf', 'a document'],
    ]);
  });

  test.each<[string, unknown, string]>([
    ['an address', { url: 'http://169.254.169.254/' }, 'is fetched from no url'],
    ['a connector that is not listed', { connector: 'other', path: '6.pdf' }, 'is not in attachments_from'],
    ['a path that leads out', { connector: 'invoices', path: '../other/6.pdf' }, 'leads out of its folder'],
    ['a connector without a path', { connector: 'invoices' }, 'needs a path'],
    ['a text', 'a.txt', 'an attachment is a file'],
    ['nothing', {}, 'neither content nor connector'],
    ['what is not base64', { content: 'a b', encoding: 'base64' }, 'is not base64'],
    ['a name of several lines', { content: 'a', filename: 'a\r\nBcc: b' }, 'one line'],
    ['another kind than a media type', { content: 'a', content_type: 'text/plain\r\nX: y' }, 'is not a media type'],
    ['an identifier with brackets in it', { content: 'a', content_id: 'a> <b' }, 'content_id'],
    ['more bytes than max_attachments', { content: 'x y'.repeat(700_000) }, 'larger than 2000000 bytes'],
    ['a file with more of them', { connector: 'invoices', path: 'large.bin' }, 'larger than 2000000 bytes'],
    ['more files than a letter has', Array.from({ length: 101 }, () => ({ content: 'a' })), 'at most 100'],
  ])('S-54: %s is refused, and nothing is sent', async (_, attachments, says) => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    const { code, message } = await failureOf(
      sendLetter({ attachments: Array.isArray(attachments) ? attachments : [attachments] }),
    );
    expect([code, message]).toEqual(['value_refused', expect.stringContaining(says)]);
    expect(mail.letters).toEqual([]);
  });

  test('a file that is absent fails the letter', async () => {
    const { mail, sendLetter } = await openCorrespondence({ written, services });
    const { code } = await failureOf(sendLetter({ attachments: [{ connector: 'invoices', path: 'absent.pdf' }] }));
    expect([code, mail.letters]).toEqual(['not_found', []]);
  });
});

test('a letter without a text, HTML or template is refused', async () => {
  const { sendLetter } = await openCorrespondence();
  expect((await failureOf(sendLetter({ text: '' }))).message).toBe(
    'the message has no textBody, no htmlBody and no template',
  );
});
