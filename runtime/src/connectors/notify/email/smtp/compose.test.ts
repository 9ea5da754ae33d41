import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { headersIn, partsIn, textIn } from '../../../../../../test/support/mail-server.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { failureOf } from '../../testing/opened.ts';
import type { Letter } from '../letter.ts';
import { correspondence, openCorrespondence } from '../testing/letters.ts';
import { compose } from './compose.ts';

const clock = { now: () => Date.parse('2026-01-01T00:00:00Z') };
const letter: Letter = {
  from: { email: 'shop@example.org', name: 'Büro "Nord"' },
  replyTo: [{ email: 'answers@example.org', name: undefined }],
  to: [{ email: 'ana@example.org', name: 'Ana, the first' }],
  cc: [{ email: 'ben@example.org', name: undefined }],
  bcc: [{ email: 'cleo@example.org', name: undefined }],
  subject: 'Größe: 5 €',
  text: 'Guten Tag ☃',
  html: undefined,
  headers: [['X-Order', '5 ☃']],
  attachments: [],
  template: undefined,
  tags: [],
  trackOpens: undefined,
  trackClicks: undefined,
};
const file = (filename: string, contentType: string, contentId?: string) => ({
  filename,
  contentType,
  contentId,
  bytes: Buffer.from(`bytes of ${filename}`),
});

describe('the text of a message', () => {
  test('has date, identifier and encoded headers, is ASCII, and does not say who gets it unseen', async () => {
    const { raw, messageId, from, to, bcc } = await compose(letter, { clock });
    const text = raw.toString('latin1');
    expect(headersIn(text)).toEqual({
      'content-transfer-encoding': 'quoted-printable',
      'content-type': 'text/plain; charset=utf-8',
      'mime-version': '1.0',
      'message-id': messageId,
      'x-order': '=?UTF-8?B?NSDimIM=?=',
      cc: 'ben@example.org',
      date: 'Thu, 01 Jan 2026 00:00:00 +0000',
      from: expect.stringMatching(/^=\?UTF-8\?.+\?= <shop@example\.org>$/),
      'reply-to': 'answers@example.org',
      subject: expect.stringMatching(/^=\?UTF-8\?[\w?=\s]+/),
      to: '"Ana, the first" <ana@example.org>',
    });
    expect([textIn(text), /[^\r\n\t\x20-\x7e]/.test(text), text.includes('cleo')]).toEqual([
      'Guten Tag ☃',
      false,
      false,
    ]);
    expect([from, to, bcc]).toEqual([
      `=?utf-8?B?${Buffer.from('Büro "Nord"').toString('base64')}?= <shop@example.org>`,
      ['"Ana, the first" <ana@example.org>'],
      ['cleo@example.org'],
    ]);
  });

  test('of text, HTML, pictures and files has its parts in their order', async () => {
    const attachments = [file('größe.csv', 'text/csv'), file('logo.png', 'image/png', 'logo')];
    const { raw } = await compose({ ...letter, html: '<img src="cid:logo">', attachments }, { clock });
    const parts = partsIn(raw.toString('latin1')).map((part) => [headersIn(part), textIn(part)] as const);
    expect(parts.map(([{ 'content-type': type }]) => type?.replace(/;.*/, ''))).toEqual([
      'text/plain',
      'text/html',
      'image/png',
      'text/csv',
    ]);
    expect(parts.map(([, text]) => text)).toEqual([
      'Guten Tag ☃',
      '<img src="cid:logo">',
      'bytes of logo.png',
      'bytes of größe.csv',
    ]);
    const [, , picture, table] = parts.map(([headers]) => headers);
    expect([picture?.['content-id'], picture?.['content-disposition'], table?.['content-disposition']]).toEqual([
      '<logo>',
      'inline; filename=logo.png',
      expect.stringMatching(/^attachment; filename\*0\*=utf-8''gr%C3%B6%C3%9Fe\.csv$/i),
    ]);
  });

  test('with a line that is a dot alone arrives whole', async () => {
    const { mail, sendLetter } = await openCorrespondence();
    const text = 'a\n.\n..\nQUIT\r\nb';
    await sendLetter({ text });
    expect(textIn(mail.letters[0]?.raw ?? '')).toBe(text.replace(/\r?\n/g, '\r\n'));
  });
});

describe('DKIM', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
  const folder = folderWith({ 'dkim.pem': pem });
  const dkim = { domain: 'example.org', selector: 'letters', private_key: 'dkim.pem' };

  test('a letter is signed, and the key may be in a file or written', async () => {
    for (const key of ['dkim.pem', pem]) {
      const { mail, sendLetter } = await openCorrespondence({
        written: { dkim: { ...dkim, private_key: key } },
        services: { directory: folder },
      });
      await sendLetter();
      const signature = headersIn(mail.letters[0]?.raw ?? '')['dkim-signature'];
      expect(signature).toMatch(/^v=1; a=rsa-sha256; c=relaxed\/relaxed; d=example\.org; q=dns\/txt; s=letters; bh=/);
    }
  });

  // The library of Debian for Python, which shares nothing with the one that signs.
  test.skipIf(!process.env['TEST_DKIM'])(
    'another library finds the signature of what arrives good, and of what was changed bad',
    async () => {
      const { mail, sendLetter } = await openCorrespondence({ written: { dkim }, services: { directory: folder } });
      const attachments = [{ filename: 'a.bin', content: Buffer.alloc(100_000, 7) }];
      await sendLetter({ subject: 'Größe', text: 'Guten Tag ☃\n.\n  a  \n\n\n', html: '<p>Hello</p>', attachments });
      const raw = Buffer.from(mail.letters[0]?.raw ?? '', 'latin1');
      writeFileSync(join(folder, 'verify.py'), verifying);
      const isGood = (message: Buffer) =>
        execFileSync(process.env['TEST_DKIM'] as string, [join(folder, 'verify.py'), record], { input: message })
          .toString()
          .trim();
      const changed = Buffer.from(raw.toString('latin1').replace('Subject: ', 'Subject: x'), 'latin1');
      expect([isGood(raw), isGood(changed)]).toEqual(['True', 'False']);
    },
  );

  test.each([
    ['that is absent', 'absent.pem', 'the file of private_key of dkim cannot be read: ENOENT'],
    ['that is empty', '', 'private_key of dkim is empty'],
    [
      'that is malformed',
      '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----',
      'private_key of dkim is not a private key of PEM',
    ],
    [
      'of another kind',
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      'private_key of dkim is not an RSA key',
    ],
  ])('a key %s stops the start', async (_, key, says) => {
    const { open } = await correspondence({
      written: { dkim: { ...dkim, private_key: key } },
      services: { directory: folder },
    });
    expect((await failureOf(open())).message).toBe(says);
  });
});

const verifying = `import sys, dkim
record = sys.argv[1].encode()
print(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: record))
`;

test('the date is that of the clock', async () => {
  const { mail, sendLetter } = await openCorrespondence({ services: { clock: { ...systemClock, ...clock } } });
  await sendLetter();
  expect(headersIn(mail.letters[0]?.raw ?? '')['date']).toBe('Thu, 01 Jan 2026 00:00:00 +0000');
});
