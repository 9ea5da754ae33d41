import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { headersIn, MailServer, partsIn, textIn } from '../../support/mail-server.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const order = { id: 5, email: 'ana@example.org', customer: '<Ana>', items: ['tea', '&'] };

describe('a service that sends letters', () => {
  let mail: MailServer;
  let service: Scenario;

  beforeAll(async () => {
    const refuses = (recipient: string) =>
      recipient.startsWith('gone') ? { code: 550, says: '5.1.1 gone' } : undefined;
    mail = await MailServer.start(undefined, { refuses });
    service = await start();
  });
  afterAll(async () => {
    await service?.end();
    await mail?.close();
  });
  beforeEach(() => {
    mail.letters.length = 0;
    mail.answers((_, nth) => ({ id: String(nth) }));
  });

  const start = () => startScenario(import.meta.dirname, { env: { SMTP_PORT: String(mail.port) } });

  test('a letter has text, HTML of the template and a file of a connector', async () => {
    expect(await service.ask('POST', '/orders', order)).toMatchObject({ status: 200, body: { refused: [] } });
    const [letter] = mail.letters;
    expect([letter?.from, letter?.to]).toEqual(['shop@example.org', ['ana@example.org']]);
    expect(partsIn(letter?.raw ?? '').map(textIn)).toEqual([
      'Thank you, <Ana>',
      '<p>&lt;Ana&gt;: <b>tea</b> <b>&amp;</b></p>',
      'Invoice 5\n',
    ]);
  });

  test('R-98: who is refused is answered, and a letter that is refused for all fails', async () => {
    const some = { ...order, email: ['ana@example.org', 'gone@example.org'] };
    expect(await service.ask('POST', '/orders', some)).toMatchObject({ body: { refused: ['gone@example.org'] } });
    const { status, text } = await service.ask('POST', '/orders', { ...order, email: 'gone@example.org' });
    expect([status, text.includes('5.1.1 gone')]).toEqual([500, true]);
  });

  test('S-54: a caller whose message is sent as it is names no header, template or file that is not given', async () => {
    const letter = { to: 'ana@example.org', subject: 's', text: 't' };
    for (const wrong of [
      { subject: 'a\r\nBcc: eve@example.org' },
      { to: 'ana@example.org\r\nBcc: eve@example.org' },
      { template: '../service.hcl' },
      { attachments: [{ connector: 'api', path: '/etc/passwd' }] },
      { attachments: [{ connector: 'invoices', path: '../service.hcl' }] },
      { attachments: [{ url: 'http://127.0.0.1/' }] },
    ])
      expect([wrong, (await service.ask('POST', '/raw', { ...letter, ...wrong })).status]).toEqual([wrong, 400]);
    expect(mail.letters).toEqual([]);
    // Headers in the message of a caller are those of its request.
    const headers = { 'x-caller': 'kept-secret' };
    const { status } = await service.ask('POST', '/raw', { ...letter, headers: { Bcc: 'eve@example.org' } }, headers);
    expect([status, Object.keys(headersIn(mail.letters[0]?.raw ?? '')).sort()]).toEqual([
      200,
      ['content-type', 'date', 'from', 'message-id', 'mime-version', 'subject', 'to'],
    ]);
  });

  test('a saga that fails writes with the template and to the addressee that its action names', async () => {
    expect((await service.ask('POST', '/rentals', order)).status).toBeGreaterThanOrEqual(400);
    const [letter] = mail.letters;
    expect([letter?.to, headersIn(letter?.raw ?? '')['subject'], textIn(letter?.raw ?? '')]).toEqual([
      ['ana@example.org'],
      'Your rental',
      '<p>Sorry, &lt;Ana&gt;</p>',
    ]);
  });

  test('ten thousand readers get one letter, while others are answered', async () => {
    const readers = Array.from({ length: 9_999 }, (_, at) => `reader-${at}@example.org`);
    const news = service.ask('POST', '/news', { readers, text: 'News' });
    expect(await service.ask('POST', '/orders', order)).toMatchObject({ status: 200 });
    expect(await news).toMatchObject({ status: 200, body: { count: 10_000 } });
    expect(mail.letters.map(({ to }) => to.length).sort((a, b) => a - b)).toEqual([1, 10_000]);
  });

  test('a graceful stop sends what is under way', async () => {
    const own = await start();
    onTestFinished(() => own.end());
    mail.answers(() => 'silent');
    const answers = Array.from({ length: 8 }, () => own.ask('POST', '/orders', order));
    await until(() => mail.held === 5);
    const stopped = own.stop();
    await until(() => own.log.includes('stopping'));
    mail.answers((_, nth) => ({ id: String(nth) }));
    mail.release({ id: 'released' });
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await stopped).toMatchObject({ code: 0 });
    expect(mail.letters).toHaveLength(8);
  });

  test('a process that is killed leaves no connection, and the next one sends', async () => {
    const own = await start();
    onTestFinished(() => own.end());
    mail.answers(() => 'silent');
    const asked = own.ask('POST', '/orders', order).catch(() => undefined);
    await until(() => mail.held === 1);
    await own.stop('SIGKILL');
    await asked;
    await until(() => mail.held === 0);
    mail.answers((_, nth) => ({ id: String(nth) }));
    const next = await start();
    onTestFinished(() => next.end());
    expect((await next.ask('POST', '/orders', order)).status).toBe(200);
  });

  test('a service does not start without its server of mail', async () => {
    const away = await MailServer.start();
    const { port } = away;
    await away.close();
    const failure = await startScenario(import.meta.dirname, { env: { SMTP_PORT: String(port) } }).then(
      () => undefined,
      (error: Error) => error.message,
    );
    expect(failure).toContain('ECONNREFUSED');
  });
});
