import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { exchange } from './cache.ts';

test('S-84: where the lock cannot be written, every plugin is as it was', async () => {
  const cache = folderWith({
    'geo/a': 'old',
    '.work-x/geo/a': 'new',
    '.work-x/tax/a': 'new',
  });
  const work = join(cache, '.work-x');
  const staged = ['geo', 'tax'].map((name) => ({ from: join(work, name), to: join(cache, name) }));
  await expect(exchange(staged, work, join(cache, 'missing'), new Map())).rejects.toThrow(
    'plugins.lock cannot be written',
  );
  expect(readFileSync(join(cache, 'geo/a'), 'utf8')).toBe('old');
  expect(() => readFileSync(join(cache, 'tax/a'))).toThrow('ENOENT');
  mkdirSync(join(cache, 'missing'));
  await exchange(staged, work, join(cache, 'missing'), new Map());
  expect([readFileSync(join(cache, 'geo/a'), 'utf8'), readFileSync(join(cache, 'tax/a'), 'utf8')]).toEqual([
    'new',
    'new',
  ]);
});
