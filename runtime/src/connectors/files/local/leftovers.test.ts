import { existsSync, mkdirSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { untilPassed } from '../../../../../test/support/until.ts';
import { create } from './connector.ts';
import { removeLeftovers } from './leftovers.ts';
import { file } from './spec.ts';

const day = 24 * 60 * 60_000;
const unfinished = (digit: string) => `.svc-${digit.repeat(24)}.tmp`;
const never = new AbortController().signal;

/** A folder with files whose last change was so many milliseconds ago. */
function folderOf(files: Readonly<Record<string, number>>): string {
  const folder = folderWith();
  for (const [path, age] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), 'x');
    const time = (Date.now() - age) / 1000;
    utimesSync(join(folder, path), time, time);
  }
  return folder;
}

test('what has not changed for a day is removed, in every folder; what is being written and what is named otherwise stays', async () => {
  const folder = folderOf({
    [unfinished('a')]: day + 60_000,
    [`in/deep/${unfinished('b')}`]: 10 * day,
    [unfinished('c')]: day - 60_000,
    [unfinished('d')]: -day,
    '.svc-short.tmp': 10 * day,
    'report.csv': 10 * day,
  });
  expect(await removeLeftovers(folder, never)).toBe(2);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
    ['.svc-short.tmp', unfinished('c'), unfinished('d'), 'in', 'in/deep', 'report.csv'].sort(),
  );
});

test('links are not followed, and folders of that name are not removed', async () => {
  const other = folderOf({ [unfinished('a')]: 10 * day });
  const folder = folderOf({});
  symlinkSync(other, join(folder, 'link'));
  symlinkSync(join(other, unfinished('a')), join(folder, unfinished('b')));
  mkdirSync(join(folder, unfinished('c')));
  expect(await removeLeftovers(folder, never)).toBe(0);
  expect(existsSync(join(other, unfinished('a')))).toBe(true);
});

test('A-09: a clock of the process that is two days ahead removes nothing that is being written', async () => {
  const folder = folderOf({ [unfinished('a')]: 60_000, [unfinished('b')]: 10 * day });
  vi.useFakeTimers({ now: Date.now() + 2 * day, toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
  expect(await removeLeftovers(folder, never)).toBe(1);
  expect(readdirSync(folder)).toEqual([unfinished('a')]);
});

test('it ends with its signal, before it begins and in the middle', async () => {
  const many = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`in/${at}.txt`, 0]));
  const folder = folderOf({ [unfinished('a')]: 10 * day, ...many });
  expect(await removeLeftovers(folder, AbortSignal.abort())).toBe(0);
  // The walk has looked at some of its entries when other work has its turn for the first time.
  const stop = new AbortController();
  setImmediate(() => stop.abort());
  expect(await removeLeftovers(folder, stop.signal)).toBe(0);
  expect(readdirSync(folder).sort()).toEqual([unfinished('a'), 'in']);
});

test('of a large tree it looks at the first entries, and removes what it has found there', async () => {
  const folder = folderOf({ [unfinished('a')]: 10 * day, [`in/${unfinished('b')}`]: 10 * day, 'in/deep/c.txt': 0 });
  // Two entries in the root, two in the folder below it.
  expect(await removeLeftovers(folder, never, 2)).toBe(1);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(
    ['in', 'in/deep', `in/${unfinished('b')}`, 'in/deep/c.txt'].sort(),
  );
  expect(await removeLeftovers(folder, never, 4)).toBe(1);
});

test('a connector removes them after it has opened, and says how many; a dry run removes nothing', async () => {
  const folder = folderOf({ [unfinished('a')]: 10 * day });
  const log = recordingLog();
  const made = (isDryRun: boolean) =>
    create('files', configured(file.config, { base_path: folder }), connectorServices({ log, isDryRun }));
  const dry = made(true);
  await dry.open(never);
  await dry.close();
  expect(existsSync(join(folder, unfinished('a')))).toBe(true);
  const connector = made(false);
  await connector.open(never);
  await untilPassed(() => expect(log.lines.map(({ message }) => message)).toEqual(['unfinished files were removed']));
  expect(log.lines[0]?.fields).toMatchObject({ files: 1 });
  await connector.close();
  expect(readdirSync(folder)).toEqual([]);
});
