import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { folderWith } from '../testing/opened.ts';
import { confined, confinedEntry } from './confined.ts';

describe('paths of a project', () => {
  test('lead to what is there and to what may be made there', async () => {
    const root = folderWith({ 'flows/a.hcl': '', '.svc/studio.json': '' });
    const found = await Promise.all(
      ['flows/a.hcl', 'flows', 'new/deep/b.hcl', '.svc/studio.json', '.env'].map((path) => confined(root, path)),
    );
    expect(found).toEqual(
      ['flows/a.hcl', 'flows', 'new/deep/b.hcl', '.svc/studio.json', '.env'].map((path) => join(root, path)),
    );
  });

  test.each([
    '',
    '.',
    '..',
    '../secret',
    'a/../../secret',
    'a/./b',
    'a//b',
    'a/',
    '/etc/passwd',
    'C:/Windows/win.ini',
    'C:secret',
    'a\\..\\..\\secret',
    '\\\\server\\share',
    'a\0b',
    'a\nb',
    'CON',
    'nul.hcl',
    'flows/com1',
    'LPT9.txt',
    'a.',
    'a ',
    'a.hcl:stream',
    '.git/hooks/pre-commit',
    '.GIT/config',
    'sub/.git',
    'GIT~1/config',
    '.g\u200cit/config',
    'x'.repeat(1_025),
  ])('%j is refused', async (path) => {
    const root = folderWith({ 'a/b': '' });
    await expect(confined(root, path)).rejects.toThrow();
  });

  test('links out of the project are refused, wherever they are in the path', async () => {
    const outside = folderWith({ 'secret.txt': 'x' });
    const root = folderWith({ 'inside.hcl': '' });
    mkdirSync(join(root, 'sub'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'file'));
    symlinkSync(outside, join(root, 'sub', 'folder'));
    symlinkSync(join(outside, 'not-yet.txt'), join(root, 'dangling'));
    symlinkSync(join(root, 'inside.hcl'), join(root, 'fine'));
    for (const path of ['file', 'sub/folder', 'sub/folder/secret.txt', 'sub/folder/new.txt', 'dangling'])
      await expect(confined(root, path), path).rejects.toThrow('leads out of the project');
    expect(await confined(root, 'fine')).toBe(join(root, 'inside.hcl'));
  });

  test('links to .git are refused, whatever part of it they lead to and whatever asks', async () => {
    const root = folderWith({ '.git/hooks/pre-commit': '', 'sub/.git/config': '' });
    symlinkSync('.git', join(root, 'git'));
    symlinkSync('.git/hooks', join(root, 'hooks'));
    symlinkSync('.git/hooks/pre-commit', join(root, 'hook'));
    symlinkSync(join(root, 'sub'), join(root, 'other'));
    for (const path of ['git', 'git/hooks/new', 'hooks/pre-commit', 'hooks/new', 'hook', 'other/.git/config'])
      await expect(confined(root, path), path).rejects.toThrow('what is below .git is not opened');
    for (const path of ['git/hooks', 'hooks/pre-commit', 'hooks/new', 'other/.git'])
      await expect(confinedEntry(root, path), path).rejects.toThrow('what is below .git is not opened');
    expect(await confinedEntry(root, 'hook')).toBe(join(root, 'hook'));
  });

  test('an entry is the link itself, in the folder that the path leads to', async () => {
    const outside = folderWith({ secret: '' });
    const root = folderWith({ 'flows/a.hcl': '' });
    symlinkSync(outside, join(root, 'out'));
    symlinkSync('flows', join(root, 'inside'));
    symlinkSync('nowhere', join(root, 'flows', 'dangling'));
    expect(await confinedEntry(root, 'out')).toBe(join(root, 'out'));
    expect(await confinedEntry(root, 'inside/dangling')).toBe(join(root, 'flows', 'dangling'));
    await expect(confinedEntry(root, 'out/secret')).rejects.toThrow('leads out of the project');
  });

  test('a folder whose name begins like the project is another one', async () => {
    const parent = folderWith({ 'app/a': '', 'app-secret/b': '' });
    symlinkSync(join(parent, 'app-secret'), join(parent, 'app', 'link'));
    await expect(confined(join(parent, 'app'), 'link/b')).rejects.toThrow('leads out of the project');
  });

  test('whatever is written, nothing outside is reached', async () => {
    const outside = folderWith({ secret: 'x' });
    const root = folderWith({ 'a/b': '' });
    symlinkSync(outside, join(root, 'link'));
    writeFileSync(join(root, 'c'), '');
    const part = fc.oneof(
      fc.constantFrom('..', '.', '', 'a', 'b', 'link', 'secret', '/', '\\', '%2e%2e', '..%2f', '...', '~', '\0', 'c'),
      fc.string({ maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const found = await confined(root, parts.join('/')).catch(() => undefined);
        expect(found === undefined || found.startsWith(root + sep)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});
