import { chmodSync, mkdirSync, renameSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { asOrdinaryUser } from '../testing/as-ordinary-user.ts';
import { Inbox, Looks } from '../testing/inbox.ts';

let inbox: Inbox;
beforeEach(() => {
  inbox = new Inbox();
  chmodSync(inbox.folder, 0o777);
});
afterEach(() => inbox.close());

const interval = 5000;
const never = new AbortController().signal;

/** An inbox that is looked at when the test says so. */
async function watched(written: Readonly<Record<string, unknown>> = {}) {
  const looks = new Looks();
  const opening = await inbox.open({ watch_interval: interval, ...written }, undefined, { clock: looks.clock });
  return { ...opening, look: () => looks.next(interval) };
}

const said = (message: string) => inbox.lines.filter((line) => line.message === message).length;

test('a file that may not be read is given up after its tries, with its name in the log, and the others are handled', () =>
  asOrdinaryUser(async () => {
    for (const name of ['a', 'b', 'c']) inbox.put(`${name}.json`, '{"n":1}');
    chmodSync(inbox.at('b.json'), 0);
    const { paths, look } = await watched({ watch: { done: 'done', failed: 'failed', retry_count: 1 } });
    await until(async () => {
      await look();
      return inbox.names().every((path) => path.includes('/'));
    });
    expect([paths(), inbox.names()]).toEqual([
      ['a.json', 'c.json'],
      ['done/a.json', 'done/c.json', 'failed/b.json'],
    ]);
    const warned = inbox.lines.filter(({ fields }) => fields?.['key'] === 'b.json');
    const error = '"b.json": the service may not do that: permission denied';
    expect(warned).toMatchObject([
      { level: 'warn', fields: { error, tries: 1 } },
      { level: 'error', fields: { error, tries: 2 } },
    ]);
  }));

test('a folder that may not be listed is reported by health; files beside it are handled, and its own when it may be', () =>
  asOrdinaryUser(async () => {
    for (const path of ['in/a.json', 'b.json']) inbox.put(path, '{"n":1}');
    chmodSync(inbox.at('in'), 0);
    const { connector, paths, events, look } = await watched();
    await look();
    await until(() => paths().length === 1 && events.unsettled === 0);
    expect(await connector.check?.(never)).toBe('"in": the service may not do that: permission denied');
    chmodSync(inbox.at('in'), 0o755);
    await look();
    await look();
    await until(() => paths().length === 2 && events.unsettled === 0);
    expect([await connector.check?.(never), inbox.names()]).toEqual([undefined, ['done/b.json', 'done/in/a.json']]);
    expect([said('files cannot be looked at'), said('files can be looked at again')]).toEqual([1, 1]);
  }));

test('files of a folder that may not be listed for a while are not changes', () =>
  asOrdinaryUser(async () => {
    inbox.put('in/a.json', '{"n":1}');
    const { paths, look } = await watched({ watch: {} });
    chmodSync(inbox.at('in'), 0);
    await look();
    chmodSync(inbox.at('in'), 0o755);
    inbox.put('b.json', '{"n":1}');
    for (let count = 0; count < 3; count++) await look();
    await until(() => paths().length === 1);
    expect(paths()).toEqual(['b.json']);
  }));

test('files and folders whose names are not UTF-8 are reported by health until they are renamed, and the others are handled', async () => {
  inbox.put('a.json', '{"n":1}');
  inbox.put('in/b.json', '{"n":1}');
  const named = (name: string) => Buffer.from(inbox.at(name), 'latin1');
  renameSync(inbox.at('in'), named('B\u00fccher'));
  const { connector, paths, events, look } = await watched();
  await look();
  await until(() => paths().length === 1 && events.unsettled === 0);
  expect(await connector.check?.(never)).toBe('the name of "B\ufffdcher" is not UTF-8: rename it');
  renameSync(named('B\u00fccher'), inbox.at('in'));
  await look();
  await look();
  await until(() => paths().length === 2 && events.unsettled === 0);
  expect([await connector.check?.(never), inbox.names()]).toEqual([undefined, ['done/a.json', 'done/in/b.json']]);
});

test('the folder itself that may not be listed keeps the service from starting, and is reported later', () =>
  asOrdinaryUser(async () => {
    mkdirSync(inbox.at('own'));
    chmodSync(inbox.at('own'), 0o300);
    const open = () => watched({ base_path: inbox.at('own') });
    await expect(open()).rejects.toMatchObject({
      code: 'connector_failed',
      message: 'the root: the service may not do that: permission denied',
    });
    chmodSync(inbox.at('own'), 0o755);
    const { connector, look, paths, events } = await open();
    chmodSync(inbox.at('own'), 0);
    await look();
    expect(await connector.check?.(never)).toBe('the root: the service may not do that: permission denied');
    chmodSync(inbox.at('own'), 0o755);
    inbox.put('own/a.json', '{"n":1}');
    await look();
    await look();
    await until(() => paths().length === 1 && events.unsettled === 0);
  }));

test('a done folder that may not be written leaves the file in its place, which is handled once and moved when it may be', () =>
  asOrdinaryUser(async () => {
    inbox.put('a.json', '{"n":1}');
    mkdirSync(inbox.at('done'));
    chmodSync(inbox.at('done'), 0o555);
    const { paths, events, look } = await watched();
    await look();
    await until(() => paths().length === 1 && events.unsettled === 0);
    for (let count = 0; count < 3; count++) await look();
    expect([inbox.names(), paths(), said('a file that was handled is not moved yet')]).toEqual([
      ['a.json'],
      ['a.json'],
      1,
    ]);
    chmodSync(inbox.at('done'), 0o755);
    await look();
    expect([inbox.names(), paths()]).toEqual([['done/a.json'], ['a.json']]);
  }));
