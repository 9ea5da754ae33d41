import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { connectorServices, recordingLog } from '../../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../../test/support/folder.ts';
import { freePort } from '../../../../../../test/support/free-port.ts';
import { MailServer } from '../../../../../../test/support/mail-server.ts';
import { until } from '../../../../../../test/support/until.ts';
import { systemClock } from '../../../../foundation/observe/clock.ts';
import { send } from '../../testing/bed.ts';
import { failureOf } from '../../testing/opened.ts';
import { correspondence, mailConnector, openCorrespondence } from '../testing/letters.ts';
import { obliging, type Reply, scriptedServer } from './testing/scripted-server.ts';

const never = new AbortController().signal;
const folder = folderWith();
const services = { directory: folder };
let own: { readonly cert: string; readonly key: string };
let foreign: typeof own;

/** A certificate for a name, which is its own authority. */
async function certificate(name: string): Promise<typeof own> {
  const { cert, private: key } = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  });
  return { cert, key };
}

beforeAll(async () => {
  own = await certificate('localhost');
  foreign = await certificate('other.example');
  writeFileSync(join(folder, 'own.pem'), own.cert);
  writeFileSync(join(folder, 'foreign.pem'), foreign.cert);
});

const encrypted = (mode: string, more: Record<string, unknown> = {}) => ({
  host: 'localhost',
  tls: { mode, ca_cert: 'own.pem', ...more },
});
const credentials = { user: 'shop', pass: 'kept-secret' };
const signing = { username: credentials.user, password: credentials.pass };

/** What is left when a connection is refused: no word of a letter, no credentials. */
const telling = /^(?:MAIL|RCPT|DATA|AUTH)/;

describe('S-87: TLS', () => {
  test.each(['starttls', 'tls'])('with %s letters and credentials are encrypted', async (mode) => {
    const { mail, sendLetter } = await openCorrespondence({
      server: { ...own, secure: mode === 'tls', credentials },
      written: { ...encrypted(mode), ...signing },
      services,
    });
    await sendLetter();
    expect(mail.letters).toMatchObject([{ secure: true, user: 'shop' }]);
  });

  test.each<[string, (line: string) => Reply]>([
    ['that does not offer it', obliging],
    ['that refuses it', (line) => (line === 'STARTTLS' ? '454 not now\r\n' : obliging(line))],
    ['that does not know it', (line) => (line === 'STARTTLS' ? '502 what?\r\n' : obliging(line))],
    ['that answers something else', (line) => (line === 'STARTTLS' ? '<html>\r\n' : obliging(line))],
    [
      'that agrees and speaks in clear',
      (line) => (line === 'STARTTLS' ? '220 ready\r\n250-here\r\n250 AUTH PLAIN\r\n' : obliging(line)),
    ],
    ['that knows no EHLO', (line) => (line.startsWith('EHLO') ? '502 what?\r\n' : '250 fine\r\n')],
    [
      'that ends the connection',
      (line) => (line === 'STARTTLS' ? { says: '220 ready\r\n', close: true } : obliging(line)),
    ],
  ])('STARTTLS is never left out: a server %s gets nothing', async (_, reply) => {
    const { port, lines } = await scriptedServer(reply);
    const connector = mailConnector(
      port,
      { ...encrypted('starttls'), ...signing, timeout: 500 },
      connectorServices(services),
    );
    const failure = await failureOf(connector.open(never));
    expect([failure.code, lines.filter((line) => telling.test(line))]).toEqual([
      expect.toBeOneOf(['connector_refused', 'connector_timeout']),
      [],
    ]);
    await connector.close();
  });

  test.each([
    ['that no one trusts', () => own, {}, { ca_cert: undefined }],
    ['of another authority', () => own, {}, { ca_cert: 'foreign.pem' }],
    ['for another name', () => foreign, {}, { ca_cert: 'foreign.pem' }],
  ])('a certificate %s is refused, with starttls and tls', async (_, presented, server, tls) => {
    for (const mode of ['starttls', 'tls']) {
      const { mail, open } = await correspondence({
        server: { ...presented(), secure: mode === 'tls', ...server },
        written: encrypted(mode, tls),
        services,
      });
      expect((await failureOf(open())).code).toBe('connector_refused');
      expect(mail.letters).toEqual([]);
    }
  });

  test('server_name is the name that is looked for, and insecure_skip_verify takes any certificate', async () => {
    for (const tls of [{ ca_cert: 'foreign.pem', server_name: 'other.example' }, { insecure_skip_verify: true }]) {
      const given = { server: foreign, written: encrypted('starttls', { ca_cert: undefined, ...tls }), services };
      const { mail, sendLetter } = await openCorrespondence(given);
      await sendLetter();
      expect(mail.letters).toMatchObject([{ secure: true }]);
    }
  });

  test('a client certificate is presented', async () => {
    writeFileSync(join(folder, 'client.pem'), own.cert);
    writeFileSync(join(folder, 'client.key'), own.key);
    const server = { ...own, secure: true, requestCert: true, rejectUnauthorized: true, ca: own.cert };
    const without = await correspondence({ server, written: encrypted('tls'), services });
    expect((await failureOf(without.open())).code).toBe('connector_refused');
    const written = encrypted('tls', { cert: 'client.pem', key: 'client.key' });
    const { mail, sendLetter } = await openCorrespondence({ server, written, services });
    await sendLetter();
    expect(mail.letters).toHaveLength(1);
  });

  test('an authority that cannot be read stops the start', async () => {
    const { open } = await correspondence({ written: encrypted('starttls', { ca_cert: 'absent.pem' }), services });
    expect((await failureOf(open())).message).toContain('tls.ca_cert: cannot read "absent.pem"');
  });
});

describe('credentials', () => {
  test('sign in, in clear on this machine', async () => {
    const { mail, sendLetter } = await openCorrespondence({ server: { credentials }, written: signing });
    await sendLetter();
    expect(mail.letters).toMatchObject([{ user: 'shop', secure: false }]);
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((each) => each ?? [])
    .find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  test.skipIf(outside === undefined)('S-87: are never sent in clear to another machine', async () => {
    const reply = (line: string) => (line.startsWith('EHLO') ? '250-here\r\n250 AUTH PLAIN LOGIN\r\n' : obliging(line));
    const { port, lines } = await scriptedServer(reply, { host: '0.0.0.0' });
    const connector = mailConnector(port, { host: outside, ...signing });
    const { code, retriable, message } = await failureOf(connector.open(never));
    expect([code, retriable, message, lines.filter((line) => telling.test(line))]).toEqual([
      'connector_refused',
      false,
      'credentials are sent over TLS alone: write tls = "starttls" or "tls"',
      [],
    ]);
    await connector.close();
  });

  test('need a server that lets clients sign in', async () => {
    const { port, lines } = await scriptedServer(obliging);
    const connector = mailConnector(port, signing);
    expect((await failureOf(connector.open(never))).message).toBe('the server offers no sign-in (AUTH)');
    expect(lines.filter((line) => telling.test(line))).toEqual([]);
    await connector.close();
  });

  test('A-11: that are wrong stop the start, and are shown nowhere, even where the server repeats them', async () => {
    const encoded = Buffer.from(`\0${credentials.user}\0${credentials.pass}`).toString('base64');
    const reply = (line: string) => {
      if (line.startsWith('EHLO')) return '250-here\r\n250 AUTH PLAIN\r\n';
      return line.startsWith('AUTH') ? `535 5.7.8 not ${line} with ${credentials.pass}\r\n` : obliging(line);
    };
    const { port } = await scriptedServer(reply);
    const log = recordingLog();
    const connector = mailConnector(port, signing, connectorServices({ log }));
    const failure = await failureOf(connector.open(never));
    expect([failure.code, failure.retriable, failure.upstream?.status]).toEqual(['upstream_error', false, 535]);
    const shown = JSON.stringify([failure.message, failure.stack, failure.upstream, failure.cause, log.lines]);
    expect([shown.includes(credentials.pass), shown.includes(encoded), shown.includes('***')]).toEqual([
      false,
      false,
      true,
    ]);
    await connector.close();
  });

  test('that are empty on one side stop the start', async () => {
    const { open } = await correspondence({ written: { username: 'shop', password: '' } });
    expect((await failureOf(open())).message).toBe('password is empty');
  });
});

describe('the start', () => {
  test('R-79: fails where there is no server, where it says nothing, and where it is another one', async () => {
    const silent = await scriptedServer(() => undefined, { greeting: '' });
    const web = await scriptedServer(() => undefined, { greeting: 'HTTP/1.1 400 Bad Request\r\n\r\n' });
    const busy = await scriptedServer(() => undefined, { greeting: '421 too busy\r\n' });
    const outcomes = [];
    for (const port of [await freePort(), silent.port, web.port, busy.port]) {
      const connector = mailConnector(port, { timeout: 300 });
      const { code, retriable } = await failureOf(connector.open(never));
      outcomes.push([code, retriable]);
      await connector.close();
    }
    expect(outcomes).toEqual([
      ['connector_refused', true],
      ['connector_timeout', true],
      ['connector_refused', true],
      ['upstream_error', true],
    ]);
  });

  test('fails where the host is empty', async () => {
    const { open } = await correspondence({ written: { host: '' } });
    expect((await failureOf(open())).message).toBe('host is empty');
  });
});

describe('connections', () => {
  test('at most pool_size of them are made, and every letter gets its turn', async () => {
    const { mail, sendLetter } = await openCorrespondence({ answer: () => 'silent', written: { pool_size: 2 } });
    const letters = Array.from({ length: 6 }, () => sendLetter());
    await until(() => mail.held === 2);
    mail.answers((_, nth) => ({ id: String(nth) }));
    mail.release({ id: 'released' });
    await Promise.all(letters);
    expect([mail.letters.length, mail.accepted]).toEqual([6, 2]);
  });

  test('are kept for further letters, and not when they are older than five minutes', async () => {
    let later = 0;
    const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + later };
    const { mail, sendLetter } = await openCorrespondence({ services: { clock } });
    for (const _ of [1, 2]) await sendLetter();
    expect(mail.accepted).toBe(1);
    later = 4 * 60_000;
    await sendLetter();
    expect(mail.accepted).toBe(1);
    later = 5 * 60_000;
    await sendLetter();
    expect([mail.accepted, mail.letters.length]).toEqual([2, 4]);
  });

  test('R-79: a server that comes back is used again, and one that ended an idle connection costs no letter', async () => {
    const { mail, connector, sendLetter } = await openCorrespondence();
    await sendLetter();
    mail.cut();
    await sendLetter();
    const { port } = mail;
    await mail.close();
    expect((await failureOf(sendLetter())).code).toBe('connector_refused');
    expect((await failureOf(connector.check?.(never) as Promise<unknown>)).code).toBe('connector_refused');
    const next = await MailServer.start(undefined, {}, port);
    onTestFinished(() => next.close());
    await sendLetter();
    await connector.check?.(never);
    expect(next.letters).toHaveLength(1);
  });

  test('health is good while every connection has a letter', async () => {
    const { mail, connector, sendLetter } = await openCorrespondence({
      answer: () => 'silent',
      written: { pool_size: 1, timeout: 400 },
    });
    const sent = failureOf(sendLetter({}, 5_000));
    await until(() => mail.held === 1);
    await connector.check?.(never);
    await connector.close(AbortSignal.abort());
    expect((await sent).code).toBe('outcome_unknown');
  });

  test('a stop sends what is under way', async () => {
    const { mail, connector, sendLetter } = await openCorrespondence({ answer: () => 'silent' });
    const sent = sendLetter();
    await until(() => mail.held === 1);
    const closed = connector.close();
    mail.release({ id: '7' });
    expect(await sent).toMatchObject({ success: true, response: expect.stringContaining('queued as 7') });
    await closed;
    await until(() => mail.connections === 0);
  });
});

describe('A-04 A-10: a server in the middle of a letter', () => {
  const rude = (at: RegExp, reply: Reply) => (line: string) => (at.test(line) ? reply : obliging(line));

  test.each<[string, RegExp, string]>([
    ['before it was given the text', /^(?:MAIL|DATA)/, 'connector_timeout'],
    ['with the text', /^\.$/, 'outcome_unknown'],
  ])('that is silent %s fails in time as %s says', async (_, at, code) => {
    const { port } = await scriptedServer(rude(at, undefined));
    const connector = mailConnector(port, { timeout: 300 });
    await connector.open(never);
    const payload = { to: 'ana@example.org', subject: 'a', text: 'a' };
    expect(await failureOf(send(connector, { payload }))).toMatchObject({ code, retriable: true });
    await connector.close();
  });

  test('that answers endlessly is cut', async () => {
    const { port } = await scriptedServer(rude(/^MAIL/, `250-${'x'.repeat(100_000)}`));
    const connector = mailConnector(port);
    await connector.open(never);
    const payload = { to: 'ana@example.org', subject: 'a', text: 'a' };
    expect((await failureOf(send(connector, { payload }))).code).toBe('connector_refused');
    await connector.close();
  });

  test('that says something unasked does not answer the next letter with it', async () => {
    const { mail, sendLetter } = await openCorrespondence({
      answer: (_, nth) => (nth === 1 ? { bytes: '250 queued as 1\r\n550 another one\r\n' } : { id: String(nth) }),
    });
    await sendLetter();
    expect(await sendLetter()).toMatchObject({ response: expect.stringContaining('queued as 2') });
    expect(mail.letters).toHaveLength(2);
  });
});
