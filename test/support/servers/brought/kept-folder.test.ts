import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { folderWith } from '../../folder.ts';

const cache = folderWith();
let made = 0;

beforeAll(() => {
  vi.stubEnv('XDG_CACHE_HOME', cache);
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
});
afterEach(() => {
  made = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(cache, { recursive: true });
});

/** A folder with one file, which is whole when it has it. */
async function folderOf(name: string, make: (folder: string) => void | Promise<void>) {
  const { KeptFolder } = await import('./kept-folder.ts');
  return new KeptFolder({
    name,
    isWhole: (folder) => existsSync(join(folder, 'file')),
    make: async (folder) => {
      made++;
      await make(folder);
    },
  });
}

test('it is made once, in the cache of the user', async () => {
  const folder = await folderOf('once-1.0', (path) => writeFileSync(join(path, 'file'), 'text'));
  expect(folder.isMade).toBe(false);
  const path = join(cache, 'svc-test-servers', 'once-1.0');
  expect(await Promise.all([folder.made(), folder.made()])).toEqual([path, path]);
  expect(await folder.made()).toBe(path);
  expect({ made, isMade: folder.isMade, kept: readdirSync(dirname(path)) }).toEqual({
    made: 1,
    isMade: true,
    kept: ['once-1.0'],
  });
});

test('one that was not made leaves nothing, and is made with the next call', async () => {
  const folder = await folderOf('twice-1.0', (path) => {
    writeFileSync(join(path, 'part'), 'text');
    if (made === 1) throw new Error('no space left');
    writeFileSync(join(path, 'file'), 'text');
  });
  await expect(folder.made()).rejects.toThrow('no space left');
  expect(readdirSync(dirname(folder.path))).toEqual(['once-1.0']);
  expect(readdirSync(await folder.made()).sort()).toEqual(['file', 'part']);
});

test('one that lost its parts is made again', async () => {
  const folder = await folderOf('lost-1.0', (path) => writeFileSync(join(path, 'file'), String(made)));
  rmSync(join(await folder.made(), 'file'));
  expect(folder.isMade).toBe(false);
  await folder.made();
  expect({ made, isMade: folder.isMade }).toEqual({ made: 2, isMade: true });
});
