import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectorServices } from '../../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { headersIn, partsIn, textIn } from '../../../../../../test/support/mail-server.ts';
import { mailAccess } from '../../../../../../test/support/servers/exim.ts';
import { until } from '../../../../../../test/support/until.ts';
import { send } from '../../testing/bed.ts';
import { failureOf } from '../../testing/opened.ts';
import { mailConnector } from '../testing/letters.ts';

const address = process.env['TEST_SMTP_URL'];
const never = new AbortController().signal;

/** A server of mail that is in use everywhere, which shares nothing with the client. */
describe.skipIf(address === undefined)('Exim', () => {
  const { port, username, password, authority, letters } = mailAccess(address ?? 'smtp://a:b@c:1');
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`;
  const secure = { host: 'localhost', username, password, tls: { mode: 'starttls', ca_cert: authority } };

  async function open(written: Record<string, unknown> = {}) {
    const connector = mailConnector(port, { ...secure, ...written }, connectorServices({ directory: '/' }));
    onTestFinished(() => connector.close());
    await connector.open(never);
    return connector;
  }

  /** The letter with this subject, as it was delivered. */
  const delivered = (subject: string) =>
    until(() => {
      const folder = join(letters, 'new');
      const all = existsSync(folder)
        ? readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
        : [];
      const raw = all
        .map((text) => text.replace(/\r?\n/g, '\r\n'))
        .find((each) => headersIn(each)['subject'] === subject);
      return raw;
    });

  test('a signed letter with a file arrives whole over STARTTLS, and its signature is good', async () => {
    const dkim = {
      domain: 'example.org',
      selector: 'letters',
      private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    };
    const connector = await open({ dkim });
    const payload = {
      to: ['Ana <ana@localhost>', 'gone@localhost'],
      subject: 'One',
      text: 'Guten Tag ☃\n.\nend',
      html: '<p>☃</p>',
      attachments: [{ filename: 'a.bin', content: Buffer.alloc(200_000, 7) }],
    };
    const { value } = await send(connector, { payload });
    expect(value).toMatchObject({
      result: {
        success: true,
        response: expect.stringMatching(/^250 OK id=/),
        recipients: [
          { email: 'ana@localhost', success: true },
          { email: 'gone@localhost', success: false, error: expect.stringContaining('no such user') },
        ],
      },
    });
    const raw = await delivered('One');
    expect(partsIn(raw).map((part) => textIn(part).length)).toEqual([19, 8, 200_000]);
    expect(headersIn(raw)['received']).toMatch(/with esmtpsa +\(TLS1\.3\)/);
    if (!process.env['TEST_DKIM']) return;
    const folder = folderWith();
    const script =
      'import sys, dkim\nprint(dkim.verify(sys.stdin.buffer.read(), dnsfunc=lambda name, timeout=5: sys.argv[1].encode()))\n';
    writeFileSync(join(folder, 'verify.py'), script);
    const verified = execFileSync(process.env['TEST_DKIM'], [join(folder, 'verify.py'), record], {
      input: Buffer.from(raw, 'latin1'),
    });
    expect(verified.toString().trim()).toBe('True');
  });

  test('thousands of readers get letters of as many as it takes', async () => {
    const connector = await open({ timeout: 60_000 });
    const bcc = Array.from({ length: 2_500 }, (_, at) => `reader-${at}@localhost`);
    const { value } = await send(connector, { payload: { to: 'ana@localhost', bcc, subject: 'Many', text: 'a' } });
    const { recipients } = (value as { result: { recipients: readonly { success: boolean }[] } }).result;
    expect([recipients.length, recipients.filter(({ success }) => !success)]).toEqual([2_501, []]);
  });

  test('wrong credentials, none, and no TLS are refused', async () => {
    expect((await failureOf(open({ password: 'wrong' }))).code).toBe('upstream_error');
    expect((await failureOf(open({ tls: { mode: 'none' } }))).message).toBe('the server offers no sign-in (AUTH)');
    const connector = await open({ username: undefined, password: undefined });
    const refusal = await failureOf(send(connector, { payload: { to: 'ana@localhost', subject: 'a', text: 'a' } }));
    expect([refusal.code, refusal.retriable, refusal.message]).toEqual([
      'upstream_error',
      false,
      expect.stringContaining('sign in first'),
    ]);
  });
});
