import { chmodSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderWith, openHost } from '../testing/opened.ts';

describe('files of the open folder', () => {
  test('are listed without hidden ones and dependencies', async () => {
    const { services } = await openHost({
      'service.hcl': '',
      'flows/a.hcl': '',
      'node_modules/x/y.js': '',
      '.git/config': '',
      '.env': '',
    });
    expect(await services['files.list']({})).toEqual({
      entries: [
        { path: 'flows', kind: 'folder' },
        { path: 'flows/a.hcl', kind: 'file' },
        { path: 'service.hcl', kind: 'file' },
      ],
      truncated: false,
    });
  });

  test('that are configuration are given with the manifests of plugins, installed ones too', async () => {
    const manifest = (name: string) => `plugin {\n  name = "${name}"\n}\nprovides {\n}\n`;
    const { services, directory } = await openHost({
      'a.hcl': 'one',
      'plugins/geo/plugin.hcl': manifest('geo'),
      'svc_plugins/tax/plugin.hcl': manifest('tax'),
      'svc_plugins/tax/example.hcl': 'two',
      'svc_plugins/maps/plugin.mycel': manifest('maps'),
      'svc_plugins/other/plugin.hcl': 'three',
      'svc_plugins/.work-1/plugin.hcl': manifest('work'),
    });
    symlinkSync('/etc', join(directory, 'svc_plugins/outside'));
    const { files } = await services['files.configuration']({});
    expect(files.map(({ path }) => path)).toEqual([
      'a.hcl',
      'plugins/geo/plugin.hcl',
      'svc_plugins/maps/plugin.mycel',
      'svc_plugins/tax/plugin.hcl',
    ]);
  });

  test('are read with a version that a write gives back', async () => {
    const { services, directory } = await openHost({ 'a.hcl': '\uFEFFone\r\n' });
    const before = await services['files.read']({ path: 'a.hcl' });
    expect(before).toEqual({ path: 'a.hcl', text: '\uFEFFone\r\n', version: expect.stringMatching(/^[\w-]{22}$/) });
    const { version, conflict } = await services['files.write']({
      path: 'a.hcl',
      text: 'two',
      expected: before.version,
    });
    expect(conflict).toBeUndefined();
    expect(await services['files.read']({ path: 'a.hcl' })).toEqual({ path: 'a.hcl', text: 'two', version });
    expect(readdirSync(directory)).toEqual(['a.hcl']);
  });

  test('S-84: icons are read when they are plain shapes of the folder, and nothing else is', async () => {
    const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg">${inside}</svg>`;
    const { services, directory } = await openHost({
      'good.svg': svg('<path d="M0 0h4"/>'),
      'script.svg': svg('<script>alert(1)</script>'),
      'large.svg': svg(`<!--${'x'.repeat(40_000)}-->`),
      'secret.txt': 'a secret',
    });
    symlinkSync('/etc/passwd', join(directory, 'link.svg'));
    expect(await services['files.icon']({ path: 'good.svg' })).toEqual({ svg: svg('<path d="M0 0h4"/>') });
    const refused = async (path: string) =>
      services['files.icon']({ path }).then(
        () => 'read',
        (error: Error) => error.message,
      );
    expect(await refused('script.svg')).toContain('script.svg is not an icon: it holds <script>');
    expect(await refused('large.svg')).toBe('large.svg is larger than 32 KiB');
    expect(await refused('secret.txt')).toBe('secret.txt is not an icon: it does not begin with <svg>');
    expect(await refused('link.svg')).not.toBe('read');
    expect(await refused('../good.svg')).not.toBe('read');
    expect(await refused('/etc/passwd')).not.toBe('read');
  });

  test('that another program changed are not overwritten', async () => {
    const { services, directory } = await openHost({ 'a.hcl': 'one' });
    const { version: expected } = await services['files.read']({ path: 'a.hcl' });
    writeFileSync(join(directory, 'a.hcl'), 'theirs');
    const there = await services['files.read']({ path: 'a.hcl' });
    expect(await services['files.write']({ path: 'a.hcl', text: 'mine', expected })).toEqual({
      version: there.version,
      conflict: there,
    });
    expect(readFileSync(join(directory, 'a.hcl'), 'utf8')).toBe('theirs');
    await services['files.write']({ path: 'a.hcl', text: 'mine' });
    expect(readFileSync(join(directory, 'a.hcl'), 'utf8')).toBe('mine');
  });

  test('that were deleted meanwhile are a conflict with nothing', async () => {
    const { services } = await openHost({ 'a.hcl': 'one' });
    const { version: expected } = await services['files.read']({ path: 'a.hcl' });
    await services['files.delete']({ path: 'a.hcl' });
    const conflict = { path: 'a.hcl', text: '', version: '' };
    expect(await services['files.write']({ path: 'a.hcl', text: 'x', expected })).toEqual({ version: '', conflict });
    expect(await services['files.write']({ path: 'a.hcl', text: 'x', expected: '' })).toEqual({
      version: expect.stringMatching(/./),
    });
  });

  test('keep who may read them, and stay links to their files', async () => {
    const { services, directory } = await openHost({ 'real.hcl': 'one' });
    chmodSync(join(directory, 'real.hcl'), 0o640);
    symlinkSync('real.hcl', join(directory, 'link.hcl'));
    await services['files.write']({ path: 'link.hcl', text: 'two' });
    expect(readFileSync(join(directory, 'real.hcl'), 'utf8')).toBe('two');
    expect(statSync(join(directory, 'real.hcl')).mode & 0o777).toBe(0o640);
  });

  test('are made, renamed and deleted, and nothing is overwritten on the way', async () => {
    const { services, directory } = await openHost({ 'a.hcl': 'one' });
    await services['files.create']({ path: 'flows/b.hcl', text: 'b' });
    await services['files.createFolder']({ path: 'empty/deep' });
    await expect(services['files.create']({ path: 'a.hcl', text: '' })).rejects.toThrow('a.hcl exists already');
    await expect(services['files.rename']({ from: 'flows/b.hcl', to: 'a.hcl' })).rejects.toThrow(
      'a.hcl exists already',
    );
    await services['files.rename']({ from: 'flows/b.hcl', to: 'types/c.hcl' });
    await services['files.delete']({ path: 'flows' });
    expect(readFileSync(join(directory, 'types/c.hcl'), 'utf8')).toBe('b');
    expect([existsSync(join(directory, 'flows')), existsSync(join(directory, 'empty/deep'))]).toEqual([false, true]);
  });

  test('outside of it are out of reach of every service', async () => {
    const outside = folderWith({ 'secret.hcl': 'x' });
    const { services, directory } = await openHost({ 'a.hcl': 'one' });
    symlinkSync(outside, join(directory, 'out'));
    for (const path of ['../secret.hcl', join(outside, 'secret.hcl'), 'out/secret.hcl']) {
      const calls = [
        services['files.read']({ path }),
        services['files.write']({ path, text: '' }),
        services['files.create']({ path: `${path}.new`, text: '' }),
        services['files.createFolder']({ path: `${path}.folder` }),
        services['files.rename']({ from: path, to: 'b.hcl' }),
        services['files.rename']({ from: 'a.hcl', to: `${path}.moved` }),
        services['files.delete']({ path }),
      ];
      expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(calls.map(() => 'rejected'));
    }
    expect(readdirSync(outside)).toEqual(['secret.hcl']);
  });

  test('are renamed and deleted as links, never as what the links lead to', async () => {
    const outside = folderWith({ 'secret.hcl': 'x' });
    const { services, directory } = await openHost({ 'a.hcl': 'one', 'flows/b.hcl': 'two' });
    symlinkSync('a.hcl', join(directory, 'link.hcl'));
    symlinkSync('flows', join(directory, 'folder'));
    symlinkSync(outside, join(directory, 'out'));
    symlinkSync('nowhere', join(directory, 'dangling'));
    await expect(services['files.rename']({ from: 'a.hcl', to: 'dangling' })).rejects.toThrow(
      'dangling exists already',
    );
    await services['files.rename']({ from: 'link.hcl', to: 'moved.hcl' });
    for (const path of ['moved.hcl', 'folder', 'out', 'dangling']) await services['files.delete']({ path });
    expect(readdirSync(directory)).toEqual(['a.hcl', 'flows']);
    expect(readFileSync(join(directory, 'flows/b.hcl'), 'utf8')).toBe('two');
    expect(readdirSync(outside)).toEqual(['secret.hcl']);
  });

  test('whose names differ in case alone are not overwritten', async () => {
    const { services, directory } = await openHost({ 'a.hcl': 'one', 'A.hcl': 'two' });
    if (readdirSync(directory).length === 1) return;
    await expect(services['files.rename']({ from: 'a.hcl', to: 'A.hcl' })).rejects.toThrow('A.hcl exists already');
    expect(readFileSync(join(directory, 'A.hcl'), 'utf8')).toBe('two');
  });

  test('that are not text or too large are refused', async () => {
    const { services, directory } = await openHost();
    writeFileSync(join(directory, 'image.png'), Buffer.from([0x89, 0x50, 0xff, 0xfe]));
    writeFileSync(join(directory, 'large.txt'), 'x'.repeat(5 * 1024 * 1024 + 1));
    await expect(services['files.read']({ path: 'image.png' })).rejects.toThrow('image.png is not text in UTF-8');
    await expect(services['files.read']({ path: 'large.txt' })).rejects.toThrow('large.txt is larger than 5 MiB');
    await expect(services['files.write']({ path: 'b.txt', text: 'ä'.repeat(3 * 1024 * 1024) })).rejects.toThrow(
      'b.txt would be larger than 5 MiB',
    );
  });

  test('of the configuration come with their texts, and those that describe plugins', async () => {
    const { services } = await openHost({
      'service.hcl': 'service {}',
      'tests/a.hcl': '# test',
      'plugins/p/plugin.hcl': 'plugin {}\nprovides {}\n',
      'notes.md': '',
    });
    const { files } = await services['files.configuration']({});
    expect(files.map(({ path, text }) => [path, text])).toEqual([
      ['service.hcl', 'service {}'],
      ['tests/a.hcl', '# test'],
      ['plugins/p/plugin.hcl', 'plugin {}\nprovides {}\n'],
    ]);
    expect(files[0]?.version).toBe((await services['files.read']({ path: 'service.hcl' })).version);
  });

  test('tell the variables that the configuration names, and no other', async () => {
    const { services } = await openHost(
      { '.env': 'PORT=4000\nTOKEN=hidden\n', 'a.hcl': 'x = env("PORT", "3000")\ny = "env(\'UNSET\')"\n' },
      { environment: { HOME: '/h' } },
    );
    expect(await services['files.environment']({})).toEqual({ values: { PORT: '4000' } });
  });

  test('tell no variable of an .env that is a link out of the folder', async () => {
    const outside = folderWith({ '.env': 'SECRET=x\n' });
    const { services, directory } = await openHost({ 'a.hcl': 'x = env("SECRET")\n' });
    symlinkSync(join(outside, '.env'), join(directory, '.env'));
    expect(await services['files.environment']({})).toEqual({ values: {} });
  });

  test('of the configuration are read inside of it only', async () => {
    const outside = folderWith({ 'secret.hcl': 'x' });
    const { services, directory } = await openHost({ 'a.hcl': 'one' });
    symlinkSync(outside, join(directory, 'folder'));
    symlinkSync(join(outside, 'secret.hcl'), join(directory, 'file.hcl'));
    symlinkSync('a.hcl', join(directory, 'link.hcl'));
    const { files } = await services['files.configuration']({});
    expect(files.map(({ path }) => path)).toEqual(['a.hcl', 'link.hcl']);
  });

  test('cannot be asked for while no folder is open', async () => {
    const { services } = await openHost({}, { directory: undefined });
    await expect(services['files.list']({})).rejects.toThrow('no folder is open');
  });
});
