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

test('it ends with its signal', async () => {
  const folder = folderOf({ [unfinished('a')]: 10 * day });
  expect(await removeLeftovers(folder, AbortSignal.abort())).toBe(0);
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
