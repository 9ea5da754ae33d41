import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseHcl } from '@svc/protocol/syntax';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { until } from '../../../../../test/support/until.ts';
import { declaredIn } from '../declared/declared.ts';
import { archiveOf } from '../testing/archive.ts';
import { manifestText, TestRepository } from '../testing/repository.ts';
import { install, type Outcome, remove } from './install.ts';
import { readLock } from './lock.ts';
import { lockOf, type Site, stateOf } from './state.ts';

const program = join(import.meta.dirname, '../../../cli/program.ts');

const declaration = (name: string, source: string, more = '') =>
  `plugin "${name}" {\n  source = "${source}"\n${more}}\n`;

/** A configuration with these declarations. */
function siteOf(text: string, directory = folderWith(), variables: Readonly<Record<string, string>> = {}): Site {
  writeFileSync(join(directory, 'a.hcl'), text);
  const declared = declaredIn(parseHcl(text, 'a.hcl'));
  return { directory, declared, variables: { PATH: process.env['PATH'], HOME: directory, ...variables } };
}

type Wish = Partial<Parameters<typeof install>[1]>;

const installed = (site: Site, wish: Wish = {}): Promise<readonly Outcome[]> =>
  install(site, {
    purpose: 'install',
    frozen: false,
    signal: new AbortController().signal,
    progress: () => undefined,
    ...wish,
  });

const results = async (site: Site, wish?: Wish) =>
  (await installed(site, wish)).map(({ name, version, result }) => `${name} ${version} ${result}`);

const removed = (site: Site, name: string) =>
  remove(site, name, { signal: new AbortController().signal, progress: () => undefined });

/** Every file below a folder with its content. */
function contentsOf(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files
      .map(({ parentPath, name }) => join(parentPath, name))
      .sort()
      .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]),
  );
}

test('a repository is installed, locked, kept, updated and removed', async () => {
  const repository = new TestRepository();
  const first = repository.release('geo', '1.0.0', { 'geo.wasm': 'one' });
  const site = siteOf(declaration('geo', repository.address, '  version = "^1.0"\n'));
  const lock = () => readLock(readFileSync(join(site.directory, 'plugins.lock'), 'utf8')).get('geo');
  expect(await results(site)).toEqual(['geo 1.0.0 added']);
  expect(lock()).toEqual({
    source: repository.address,
    constraint: '^1.0',
    version: '1.0.0',
    commit: first,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(Object.keys(contentsOf(join(site.directory, 'svc_plugins')))).toEqual([
    '.lock',
    'geo/geo.wasm',
    'geo/plugin.hcl',
  ]);
  const second = repository.release('geo', '1.1.0', { 'geo.wasm': 'two' });
  repository.release('geo', '2.0.0', { 'geo.wasm': 'three' });
  expect(await results(site)).toEqual(['geo 1.0.0 unchanged']);
  expect(await results(site, { purpose: 'update' })).toEqual(['geo 1.1.0 updated']);
  expect(lock()?.commit).toBe(second);
  expect(await results(site, { purpose: 'update' })).toEqual(['geo 1.1.0 unchanged']);
  await removed(site, 'geo');
  expect([lock(), readdirSync(join(site.directory, 'svc_plugins'))]).toEqual([undefined, ['.lock']]);
  await expect(removed(site, 'geo')).rejects.toThrow('There is no installed plugin "geo"');
});

test('what is installed is used without its source and without git', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0');
  const site = siteOf(declaration('geo', repository.address));
  await installed(site);
  rmSync(repository.folder, { recursive: true });
  const offline = { ...site, variables: { PATH: '/nowhere' } };
  expect(await results(offline)).toEqual(['geo 1.0.0 unchanged']);
  expect(await results(offline, { frozen: true })).toEqual(['geo 1.0.0 unchanged']);
});

test('a missing or changed plugin becomes what the lock names again, not what is newest', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0', { 'geo.wasm': 'one' });
  const site = siteOf(declaration('geo', repository.address));
  await installed(site);
  repository.release('geo', '1.1.0', { 'geo.wasm': 'two' });
  const before = contentsOf(site.directory);
  rmSync(join(site.directory, 'svc_plugins'), { recursive: true });
  expect(await results(site, { frozen: true })).toEqual(['geo 1.0.0 installed']);
  expect(contentsOf(site.directory)).toEqual(before);
  for (const change of [
    () => writeFileSync(join(site.directory, 'svc_plugins/geo/geo.wasm'), 'other'),
    () => writeFileSync(join(site.directory, 'svc_plugins/geo/more'), ''),
    () => rmSync(join(site.directory, 'svc_plugins/geo/geo.wasm')),
    () => symlinkSync('/etc/passwd', join(site.directory, 'svc_plugins/geo/link')),
  ]) {
    change();
    const [geo] = site.declared;
    if (geo === undefined) throw new Error('it is declared');
    expect(await stateOf(geo, await lockOf(site.directory), site)).toBe('changed');
    expect(await results(site, { purpose: 'start' })).toEqual(['geo 1.0.0 unchanged']);
    expect(await results(site)).toEqual(['geo 1.0.0 installed']);
    expect(contentsOf(site.directory)).toEqual(before);
  }
});

test('archives, of npm too, and folders that are copied are installed; folders in place are not', async () => {
  const directory = folderWith({
    'plain/plugin.hcl': manifestText('plain', '0.1.0'),
    'copied/plugin.mycel': manifestText('copied', '0.2.0'),
    'copied/.git/config': 'x',
    'copied/node_modules/a/index.js': 'x',
  });
  writeFileSync(join(directory, 'tax.tgz'), archiveOf([{ path: 'plugin.hcl', content: manifestText('tax', '0.3.0') }]));
  writeFileSync(
    join(directory, 'npm.tar.gz'),
    archiveOf([{ path: 'package/plugin.hcl', content: manifestText('npm', '0.4.0') }, { path: 'package/deep/x' }]),
  );
  const site = siteOf(
    [
      declaration('plain', './plain'),
      declaration('copied', './copied', '  copy = true\n'),
      declaration('tax', './tax.tgz'),
      declaration('npm', `file://${directory}/npm.tar.gz`),
    ].join(''),
    directory,
  );
  expect(await results(site)).toEqual([
    'plain null in place',
    'copied 0.2.0 added',
    'tax 0.3.0 added',
    'npm 0.4.0 added',
  ]);
  expect(Object.keys(contentsOf(join(directory, 'svc_plugins')))).toEqual([
    '.lock',
    'copied/plugin.mycel',
    'npm/deep/x',
    'npm/plugin.hcl',
    'tax/plugin.hcl',
  ]);
  writeFileSync(join(directory, 'copied/plugin.mycel'), manifestText('copied', '0.2.1'));
  expect(await results(site, { only: 'copied' })).toEqual(['copied 0.2.0 unchanged']);
  rmSync(join(directory, 'svc_plugins/copied'), { recursive: true });
  await expect(installed(site)).rejects.toThrow(
    /^Plugin "copied": what its source has is not what plugins\.lock names/,
  );
  expect(await results(site, { purpose: 'update', only: 'copied' })).toEqual(['copied 0.2.1 updated']);
  expect(await results(site, { purpose: 'update', only: 'copied' })).toEqual(['copied 0.2.1 unchanged']);
});

test.each<[string, string, Record<string, string>, string]>([
  ['without a manifest', 'geo', { 'readme.md': '' }, 'it has no plugin.hcl in its root'],
  [
    'of another name',
    'geo',
    { 'plugin.hcl': manifestText('maps') },
    'its manifest names it "maps": write plugin "maps"',
  ],
  [
    'S-84: with a module elsewhere',
    'geo',
    { 'plugin.hcl': manifestText('geo', '1.0.0', '  validator "v" {\n    wasm = "../../a.wasm"\n  }\n') },
    'the module ../../a.wasm is not in the folder of the plugin',
  ],
  ['with a manifest that is broken', 'geo', { 'plugin.hcl': 'plugin {\n' }, 'plugin.hcl'],
  ['without a version', 'geo', { 'plugin.hcl': manifestText('geo', ' ') }, 'has no version such as 1.0.0'],
  ['S-84: of a name that is a path', '../geo', { 'plugin.hcl': manifestText('geo') }, 'a name is lower-case letters'],
])('a plugin %s is not installed', async (_, name, files, reason) => {
  const directory = folderWith();
  const entries = Object.entries(files).map(([path, content]) => ({ path, content }));
  writeFileSync(join(directory, 'geo.tgz'), archiveOf(entries));
  await expect(installed(siteOf(declaration(name, './geo.tgz'), directory))).rejects.toThrow(reason);
  expect(existsSync(join(directory, 'plugins.lock'))).toBe(false);
});

test('S-84: an update of which one plugin fails leaves plugins and lock byte for byte', async () => {
  const [geo, tax] = [new TestRepository(), new TestRepository()];
  geo.release('geo', '1.0.0');
  tax.release('tax', '1.0.0');
  const site = siteOf(declaration('geo', geo.address) + declaration('tax', tax.address));
  await installed(site);
  const before = contentsOf(site.directory);
  geo.release('geo', '1.1.0');
  tax.release('wrong', '1.1.0');
  await expect(installed(site, { purpose: 'update' })).rejects.toThrow('Plugin "tax": its manifest names it "wrong"');
  expect(contentsOf(site.directory)).toEqual(before);
  tax.release('tax', '1.2.0');
  // A folder in the place of the lock cannot be replaced by a file.
  const lock = join(site.directory, 'plugins.lock');
  rmSync(lock);
  mkdirSync(join(lock, 'x'), { recursive: true });
  await expect(installed(site, { purpose: 'update' })).rejects.toThrow('plugins.lock cannot be read');
  rmSync(lock, { recursive: true });
  writeFileSync(lock, before['plugins.lock'] ?? '');
  expect(await results(site, { purpose: 'update' })).toEqual(['geo 1.1.0 updated', 'tax 1.2.0 updated']);
});

test('S-84: a release whose tag moved is neither installed nor taken for an update', async () => {
  const repository = new TestRepository();
  const before = repository.release('geo', '1.0.0');
  const site = siteOf(declaration('geo', repository.address));
  await installed(site);
  const after = repository.commit({ 'evil.txt': 'x' });
  repository.git('tag', '--force', 'v1.0.0');
  expect(await results(site)).toEqual(['geo 1.0.0 unchanged']);
  for (const purpose of ['update', 'install'] as const) {
    if (purpose === 'install') rmSync(join(site.directory, 'svc_plugins'), { recursive: true });
    const message = await installed(site, { purpose }).then(String, ({ message }: Error) => message);
    expect(message).toContain('A release that was changed is not installed');
    expect([before, after].every((commit) => message.includes(commit))).toBe(true);
  }
  await removed(site, 'geo');
  expect(await results(site)).toEqual(['geo 1.0.0 added']);
});

test('a declaration that the lock does not meet is fetched by install, refused by --frozen, left by a start', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0');
  const { directory } = siteOf('');
  await installed(siteOf(declaration('geo', repository.address), directory));
  repository.release('geo', '2.0.0');
  const changed = siteOf(declaration('geo', repository.address, '  version = "^2.0"\n'), directory);
  await expect(installed(changed, { frozen: true })).rejects.toThrow(
    'plugins.lock does not have what is declared of "geo", and --frozen leaves it as it is',
  );
  expect(await results(changed, { purpose: 'start' })).toEqual(['geo 1.0.0 unchanged']);
  expect(await results(changed)).toEqual(['geo 2.0.0 updated']);
  const tax = siteOf(declaration('tax', repository.address), directory);
  await expect(installed(tax, { purpose: 'install', frozen: true })).rejects.toThrow('"tax"');
  expect(await results(tax, { purpose: 'start', frozen: true })).toEqual(['tax null unchanged']);
});

test('a plugin that is not declared, or twice, is refused', async () => {
  await expect(installed(siteOf(declaration('geo', './geo.tgz')), { only: 'tax' })).rejects.toThrow(
    'declares no plugin "tax"; it declares geo.',
  );
  await expect(installed(siteOf(declaration('geo', './a.tgz') + declaration('geo', './b.tgz')))).rejects.toThrow(
    'The plugin "geo" is declared twice.',
  );
});

test('the cache is where SVC_PLUGIN_CACHE says, but not among the files of the configuration', async () => {
  const directory = folderWith();
  writeFileSync(join(directory, 'tax.tgz'), archiveOf([{ path: 'plugin.hcl', content: manifestText('tax') }]));
  const elsewhere = join(folderWith(), 'deep', 'cache');
  const at = (cache: string) => siteOf(declaration('tax', './tax.tgz'), directory, { SVC_PLUGIN_CACHE: cache });
  expect(await results(at(elsewhere))).toEqual(['tax 1.0.0 added']);
  expect(existsSync(join(elsewhere, 'tax/plugin.hcl'))).toBe(true);
  expect(await results(at('./.cache/'))).toEqual(['tax 1.0.0 installed']);
  for (const cache of ['.', './plugins', `${directory}/deep/cache`])
    await expect(installed(at(cache))).rejects.toThrow('SVC_PLUGIN_CACHE is ');
  writeFileSync(join(directory, 'file'), '');
  await expect(installed(at(join(elsewhere, 'tax/plugin.hcl')))).rejects.toThrow(/SVC_PLUGIN_CACHE names another one/);
});

test('A-16, A-08: two processes that install at once leave what is whole, and an entry of each', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0', { 'geo.wasm': 'x'.repeat(500_000) });
  const tax = archiveOf([{ path: 'plugin.hcl', content: manifestText('tax') }]);
  const directory = folderWith();
  writeFileSync(join(directory, 'tax.tgz'), tax);
  const site = siteOf(declaration('geo', repository.address) + declaration('tax', './tax.tgz'), directory);
  const start = (...words: string[]): ChildProcess =>
    spawn(process.execPath, [program, 'plugin', 'install', ...words], { cwd: directory, stdio: 'ignore' });
  const both = [start('geo'), start('tax')];
  expect(await Promise.all(both.map((child) => once(child, 'exit')))).toEqual([
    [0, null],
    [0, null],
  ]);
  expect([...(await lockOf(directory)).keys()]).toEqual(['geo', 'tax']);
  expect(await results(site, { frozen: true })).toEqual(['geo 1.0.0 unchanged', 'tax 1.0.0 unchanged']);
}, 60_000);

test('A-08: a process that is killed while it fetches blocks nothing, and what it left is removed', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0');
  const slow = folderWith({ git: `#!/bin/sh\nsleep 600\n` });
  chmodSync(join(slow, 'git'), 0o755);
  const site = siteOf(declaration('geo', repository.address));
  const child = spawn(process.execPath, [program, 'plugin', 'install'], {
    cwd: site.directory,
    env: { ...process.env, PATH: `${slow}:${process.env['PATH']}` },
    stdio: 'ignore',
  });
  const cache = join(site.directory, 'svc_plugins');
  await until(() => existsSync(cache) && readdirSync(cache).some((name) => name.startsWith('.work-')));
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(readdirSync(cache).some((name) => name.startsWith('.work-'))).toBe(true);
  expect(await results(site)).toEqual(['geo 1.0.0 added']);
  expect(readdirSync(cache).sort()).toEqual(['.lock', 'geo']);
}, 60_000);
