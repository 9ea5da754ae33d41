import { posix } from 'node:path';
import { expect, test } from 'vitest';
import { isTest, readSources } from './sources.ts';

/** Sources that may be in one folder; more of them are divided into folders, each named after what it holds. */
const most = 25;

test(`no folder holds more than ${most} sources`, () => {
  const held = new Map<string, number>();
  for (const { path } of readSources()) {
    const folder = posix.dirname(path);
    if (!isTest(path)) held.set(folder, (held.get(folder) ?? 0) + 1);
  }
  expect(Object.fromEntries([...held].filter(([, count]) => count > most))).toEqual({});
  expect(held.size).toBeGreaterThan(100);
});
