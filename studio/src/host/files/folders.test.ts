import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../testing/opened.ts';
import { foldersLike, placeFor } from './folders.ts';

describe('folders as they are typed', () => {
  test('are those that begin so, without files; hidden ones need their dot', async () => {
    const root = folderWith({ 'alpha/x': '', 'alpine/x': '', 'beta/x': '', '.hidden/x': '', 'alone.txt': '' });
    symlinkSync(join(root, 'beta'), join(root, 'also'));
    symlinkSync(join(root, 'alone.txt'), join(root, 'al-file'));
    symlinkSync(join(root, 'nothing'), join(root, 'al-broken'));
    expect(await foldersLike(`${root}/al`)).toEqual(['alpha', 'alpine', 'also'].map((name) => join(root, name)));
    expect(await foldersLike(`${root}/`)).toEqual(['alpha', 'alpine', 'also', 'beta'].map((name) => join(root, name)));
    expect(await foldersLike(`${root}/.h`)).toEqual([join(root, '.hidden')]);
  });

  test('are not given for what cannot be read, is not a whole path, or is a file', async () => {
    const root = folderWith({ 'closed/x/y': '', 'file.txt': '' });
    chmodSync(join(root, 'closed'), 0o111);
    for (const typed of ['', 'alpha', '../', `${root}/none/x`, `${root}/file.txt/`, `${root}/\0`])
      expect(await foldersLike(typed)).toEqual([]);
    if (process.getuid?.() !== 0) expect(await foldersLike(`${root}/closed/`)).toEqual([]);
    chmodSync(join(root, 'closed'), 0o755);
  });

  test('are at most 50, the first by name', async () => {
    const root = folderWith();
    for (let index = 0; index < 120; index++) mkdirSync(join(root, `f${String(index).padStart(3, '0')}`));
    const found = await foldersLike(`${root}/`);
    expect([found.length, basename(found[49] ?? '')]).toEqual([50, 'f049']);
  });
});

describe('the place of a new project', () => {
  test('is beside the last folder, under a name that is free', async () => {
    const recent = folderWith();
    const parent = dirname(recent);
    const name = `${basename(recent)}-new`;
    expect(await placeFor(name, [recent])).toBe(join(parent, name));
    writeFileSync(join(recent, 'x'), '');
    expect(await placeFor(basename(recent), [recent])).toBe(join(parent, `${basename(recent)}-2`));
  });

  test('never leads elsewhere', async () => {
    const recent = folderWith();
    for (const name of ['../../etc', '..', '/etc', '\0', ''])
      expect(dirname(await placeFor(name, [recent]))).toBe(dirname(recent));
  });
});
