import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { CapturedMessage } from '../../foundation/contracts/capture.ts';
import type { Failure } from '../../foundation/errors/failure.ts';
import { ManualClock } from '../../service/running/testing/manual-clock.ts';
import { NotificationOutbox } from './notification-outbox.ts';

async function opened(clock = new ManualClock()) {
  const folder = await mkdtemp(join(tmpdir(), 'svc-outbox-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const outbox = new NotificationOutbox(join(folder, 'sent'), clock);
  await outbox.open();
  return { outbox, folder: outbox.path, clock };
}

const message = (text: string): CapturedMessage => ({
  provider: 'discord',
  medium: 'chat',
  place: 'alert: to',
  shown: { to: ['ops'], text },
  request: { method: 'POST', url: 'https://example.org/', headers: { 'content-type': 'application/json' }, body: '{}' },
});

test('a message is a file that its owner alone reads, and can be listed and read', async () => {
  const { outbox, folder } = await opened();
  const name = await outbox.of('chat').keep(message('Hello'));
  expect(await readdir(folder)).toEqual([`${name}.json`]);
  expect((await stat(join(folder, `${name}.json`))).mode & 0o777).toBe(0o600);
  const at = '2026-01-01T00:00:00.000Z';
  const kept = { name, at, connector: 'chat', ...message('Hello') };
  expect(JSON.parse(await readFile(join(folder, `${name}.json`), 'utf8'))).toEqual(kept);
  expect(await outbox.read(name)).toEqual(kept);
  expect(await outbox.list(10)).toEqual([
    {
      name,
      at,
      connector: 'chat',
      provider: 'discord',
      medium: 'chat',
      place: 'alert: to',
      to: ['ops'],
      recipients: 1,
      text: 'Hello',
    },
  ]);
});

test('a mail is beside it as it would be sent, with the body as a browser opens it', async () => {
  const { outbox, folder } = await opened();
  const mail = Buffer.from('Subject: =?utf-8?q?=E2=98=83?=\r\n\r\nHello');
  const shown = { to: ['ada@example.org'], title: '☃', html: '<p>Hello</p>' };
  const name = await outbox.keep({ provider: 'smtp', medium: 'mail', shown, mail });
  expect((await readdir(folder)).sort()).toEqual(['eml', 'html', 'json'].map((ending) => `${name}.${ending}`));
  expect(await readFile(join(folder, `${name}.eml`))).toEqual(mail);
  expect(await readFile(join(folder, `${name}.html`), 'utf8')).toBe('<p>Hello</p>');
  expect(await outbox.read(name)).toMatchObject({ mail: `${name}.eml`, shown });
});

test('the newest are listed first, page by page, whichever process kept them', async () => {
  const { outbox, folder, clock } = await opened();
  const other = new NotificationOutbox(folder, clock);
  const names: string[] = [];
  for (let at = 0; at < 5; at++) {
    names.push(await (at % 2 === 0 ? outbox : other).keep(message(`${at}`)));
    await clock.pass(10);
  }
  const newest = names.toReversed();
  expect((await outbox.list(2)).map(({ name }) => name)).toEqual(newest.slice(0, 2));
  expect((await other.list(10, newest[1])).map(({ text }) => text)).toEqual(['2', '1', '0']);
});

test('1,000 messages are kept: older ones make room, and other files are left alone', async () => {
  const { outbox, folder, clock } = await opened();
  await writeFile(join(folder, 'notes.json'), '{}');
  for (let at = 0; at < 1_150; at++) {
    await outbox.keep(message(`${at}`));
    await clock.pass(1);
  }
  const files = await readdir(folder);
  expect(files.length).toBeLessThanOrEqual(1_101);
  expect(files).toContain('notes.json');
  expect((await outbox.list(1))[0]?.text).toBe('1149');
});

test('a long message is listed by its beginning', async () => {
  const { outbox } = await opened();
  const to = Array.from({ length: 10_000 }, (_, at) => `user${at}@example.org`);
  await outbox.keep({
    provider: 'smtp',
    medium: 'mail',
    shown: { to, title: 'x'.repeat(5_000), text: 'y'.repeat(1_000_000) },
  });
  const [entry] = await outbox.list(1);
  expect([entry?.recipients, entry?.to, entry?.title?.length, entry?.text?.length]).toEqual([
    10_000,
    to.slice(0, 3),
    200,
    200,
  ]);
});

test('S-81: a name leads to no other file', async () => {
  const { outbox, folder } = await opened();
  await writeFile(join(folder, '..', 'secret.json'), '{"name": "secret"}');
  await symlink(join(folder, '..', 'secret.json'), join(folder, 'link.json'));
  const names = ['../secret', '..', '', 'link', '/etc/passwd', `${'../../'.repeat(10)}etc/passwd`];
  expect(await Promise.all(names.map((name) => outbox.read(name)))).toEqual(names.map(() => undefined));
  expect(await outbox.list(10)).toEqual([]);
});

test('a file that its writer did not finish is not listed', async () => {
  const { outbox, folder } = await opened();
  await writeFile(join(folder, '20260101T000000000Z-000001-abcdef.json'), '{"name": "2026');
  await writeFile(join(folder, '20260101T000000001Z-000001-abcdef.part'), '{}');
  expect(await outbox.list(10)).toEqual([]);
});

test('what another program wrote under such a name is not listed', async () => {
  const { outbox, folder } = await opened();
  for (const [at, text] of ['{}', 'null', '[]', '{"name": "other", "at": "x", "shown": {"to": []}}'].entries())
    await writeFile(join(folder, `20260101T00000000${at}Z-000001-abcdef.json`), text);
  const name = await outbox.keep(message('a'));
  expect((await outbox.list(10)).map((entry) => entry.name)).toEqual([name]);
});

test('the newest stay the newest when the clock is set back', async () => {
  const { outbox, clock } = await opened();
  await outbox.keep(message('1'));
  clock.set(-3_600_000);
  await outbox.keep(message('2'));
  expect((await outbox.list(10)).map(({ text }) => text)).toEqual(['2', '1']);
});

test('a folder that is gone refuses the message', async () => {
  const { outbox, folder } = await opened();
  await rm(folder, { recursive: true });
  await writeFile(folder, 'a file');
  const failure: Failure = await outbox.keep(message('a')).then(expect.fail, (error) => error);
  expect([failure.code, failure.message]).toEqual([
    'connector_failed',
    expect.stringMatching(/^the message could not be kept in the folder of SVC_CAPTURE: ENOTDIR/),
  ]);
});

test('followers hear of what this process keeps, until they leave', async () => {
  const { outbox } = await opened();
  const heard: unknown[] = [];
  const leave = outbox.follow(({ text }) => heard.push(text));
  await outbox.keep(message('1'));
  leave();
  await outbox.keep(message('2'));
  expect(heard).toEqual(['1']);
});
