import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { bounds } from '../install/digest.ts';
import { archiveOf, type TestEntry, tarOf } from '../testing/archive.ts';
import { ArchiveOrigin } from './archive.ts';
import { FolderWriter } from './file-writer.ts';

async function unpacked(bytes: Uint8Array): Promise<string> {
  const directory = folderWith();
  const folder = folderWith();
  writeFileSync(join(directory, 'geo.tgz'), bytes);
  const origin = new ArchiveOrigin('./geo.tgz', {
    directory,
    variables: {},
    workFolder: folderWith(),
    signal: new AbortController().signal,
  });
  await origin.fetch(await origin.find(), new FolderWriter(folder));
  return folder;
}

test('files of an archive are written with their folders, whatever is said of owners and modes', async () => {
  const bytes = Buffer.from(Uint8Array.from({ length: 3_000_001 }, (_, at) => (at * 7919) % 251));
  const folder = await unpacked(
    archiveOf([
      { path: './', type: 'Directory' },
      { path: './plugin.hcl', content: 'a' },
      { path: 'deep/', type: 'Directory' },
      { path: 'deep/geo.wasm', content: bytes },
      { path: 'empty', content: '' },
    ]),
  );
  expect(readdirSync(folder).sort()).toEqual(['deep', 'empty', 'plugin.hcl']);
  expect(readFileSync(join(folder, 'deep/geo.wasm')).equals(bytes)).toBe(true);
});

test.each<[string, TestEntry, string]>([
  ['leads out', { path: '../outside', content: 'x' }, 'path that is not used'],
  ['leads out in the middle', { path: 'a/../../outside', content: 'x' }, 'path that is not used'],
  ['is absolute', { path: '/tmp/outside', content: 'x' }, 'path that is not used'],
  ['is of Windows', { path: 'C:\\outside', content: 'x' }, 'path that is not used'],
  ['is within a repository', { path: '.git/hooks/post-checkout', content: 'x' }, 'path that is not used'],
  ['is a link', { path: 'geo.wasm', type: 'SymbolicLink', linkpath: '/etc/passwd' }, 'neither a file nor a folder'],
  ['is a second name', { path: 'geo.wasm', type: 'Link', linkpath: '/etc/passwd' }, 'neither a file nor a folder'],
  ['is a device', { path: 'null', type: 'CharacterDevice' }, 'neither a file nor a folder'],
  ['is a pipe', { path: 'pipe', type: 'FIFO' }, 'neither a file nor a folder'],
  ['is there already', { path: 'plugin.hcl', content: 'other' }, 'two files that are one here'],
  ['is a folder that is a file', { path: 'plugin.hcl/more', content: 'other' }, 'two files that are one here'],
])('S-84: an archive with an entry that %s is refused', async (_, entry, reason) => {
  const bytes = archiveOf([{ path: 'plugin.hcl', content: 'a' }, entry, { path: 'last', content: 'b' }]);
  await expect(unpacked(bytes)).rejects.toThrow(reason);
});

test.each<[string, () => Uint8Array]>([
  ['nothing', () => Buffer.alloc(0)],
  ['a page', () => Buffer.from('<html>Sign in</html>')],
  ['random bytes, compressed', () => gzipSync(Buffer.alloc(4_096, 'not a tar'))],
  ['not compressed', () => tarOf([{ path: 'plugin.hcl', content: 'a' }])],
  ['cut', () => archiveOf([{ path: 'a', content: Buffer.alloc(90_000, 'x') }]).subarray(0, 120)],
  ['cut within an entry', () => gzipSync(tarOf([{ path: 'a', content: Buffer.alloc(9_000, 'x') }]).subarray(0, 3_000))],
  ['of a length that is not true', () => archiveOf([{ path: 'a', content: 'x', size: 8_000_000 }])],
  ['compressed twice', () => gzipSync(archiveOf([{ path: 'a', content: 'x' }]))],
])('S-84, A-04: an archive that is %s is refused', async (_, bytes) => {
  await expect(unpacked(bytes())).rejects.toThrow(/^\.\/geo\.tgz/);
});

test('S-84, A-06: an archive that unpacks to more than a plugin may have is refused before it is on disk', async () => {
  const zeros = Buffer.alloc(bounds.bytes / 2 + 512);
  const bomb = archiveOf([
    { path: 'plugin.hcl', content: 'a' },
    { path: 'a', content: zeros },
    { path: 'b', content: zeros },
    { path: 'c', content: zeros },
  ]);
  expect(bomb.length).toBeLessThan(300_000);
  await expect(unpacked(bomb)).rejects.toThrow(/larger than 128 MiB|unpacks to more than/);
});

test('more files than a plugin may have are refused', async () => {
  const many = Array.from({ length: bounds.files + 1 }, (_, at) => ({ path: `many/${at}` }));
  await expect(unpacked(archiveOf(many))).rejects.toThrow('more than 2000 files');
});
