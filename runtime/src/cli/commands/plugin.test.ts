import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { archiveOf } from '../../engine/plugins/testing/archive.ts';
import { manifestText, TestRepository } from '../../engine/plugins/testing/repository.ts';
import { typed } from '../testing/typed.ts';

const environment = { PATH: process.env['PATH'] ?? '', HOME: folderWith() };
const api = 'connector "api" {\n  type = "rest"\n  port = 3000\n}\n';

/** A service with a plugin of an archive, and one that is read where it is. */
function service(): string {
  const directory = folderWith({
    'a.hcl': `${api}plugin "tax" {\n  source = "./tax.tgz"\n}\nplugin "geo" {\n  source = "./geo"\n}\n`,
    'geo/plugin.hcl': manifestText('geo', '0.1.0'),
  });
  writeFileSync(join(directory, 'tax.tgz'), archiveOf([{ path: 'plugin.hcl', content: manifestText('tax', '1.2.0') }]));
  return directory;
}

const svc = (directory: string, ...words: string[]) => typed(words, directory, environment);

test('plugins are listed, installed and removed', async () => {
  const directory = service();
  expect(await svc(directory, 'plugin')).toEqual({
    status: 0,
    out: [
      'NAME  VERSION  SOURCE     STATE',
      'geo   0.1.0    ./geo      used in place',
      'tax            ./tax.tgz  not installed\n',
    ].join('\n'),
    error: '',
  });
  expect(await svc(directory, 'plugin', 'install')).toEqual({
    status: 0,
    out: 'NAME  VERSION  RESULT\ntax   1.2.0    added\ngeo            in place\n',
    error: 'tax: ./tax.tgz\n',
  });
  expect((await svc(directory, 'plugin', 'list')).out).toContain('tax   1.2.0    ./tax.tgz  installed\n');
  writeFileSync(join(directory, 'svc_plugins/tax/more'), '');
  expect((await svc(directory, 'plugin', 'list')).out).toContain('not what the lock names');
  expect(await svc(directory, 'plugin', 'remove', 'tax')).toEqual({
    status: 0,
    out: 'tax is removed.\n',
    error: 'a.hcl still declares plugin "tax": remove the block too.\n',
  });
  expect(existsSync(join(directory, 'svc_plugins/tax'))).toBe(false);
  expect((await svc(folderWith({ 'a.hcl': api }), 'plugin', 'install')).out).toBe('No plugins are declared.\n');
});

test('results are JSON for programs, and progress is not among them', async () => {
  const directory = service();
  const { out } = await svc(directory, 'plugin', 'install', 'tax', '--format', 'json');
  const locked = JSON.parse(readFileSync(join(directory, 'plugins.lock'), 'utf8')).plugins.tax;
  expect(JSON.parse(out)).toEqual({
    plugins: [{ name: 'tax', version: '1.2.0', commit: null, sha256: locked.sha256, result: 'added' }],
  });
  writeFileSync(join(directory, 'a.hcl'), api);
  expect(JSON.parse((await svc(directory, 'plugin', 'list', '--format', 'json')).out)).toEqual({
    plugins: [
      {
        name: 'tax',
        version: '1.2.0',
        source: './tax.tgz',
        constraint: 'latest',
        commit: null,
        sha256: locked.sha256,
        state: 'not declared',
      },
    ],
  });
  expect(JSON.parse((await svc(directory, 'plugin', 'remove', 'tax', '--format', 'json')).out)).toEqual({
    name: 'tax',
    removed: true,
    declared: false,
  });
});

test('what cannot be had ends with 1 and a reason, wrong words with 2', async () => {
  const directory = service();
  rmSync(join(directory, 'tax.tgz'));
  expect(await svc(directory, 'plugin', 'install')).toEqual({
    status: 1,
    out: '',
    error: 'tax: ./tax.tgz\nsvc plugin: Plugin "tax": ./tax.tgz: there is no such file.\n',
  });
  expect((await svc(directory, 'plugin', 'install', '--frozen')).error).toContain('--frozen leaves it as it is');
  expect((await svc(directory, 'plugin', 'remove', '../geo')).error).toBe(
    'svc plugin: There is no installed plugin "../geo".\n',
  );
  for (const words of [['fetch'], ['remove'], ['list', 'tax'], ['install', 'a', 'b'], ['update', '--frozen']])
    expect((await svc(directory, 'plugin', ...words)).status).toBe(2);
});

test('.env says where the cache is', async () => {
  const directory = service();
  const cache = join(folderWith(), 'cache');
  writeFileSync(join(directory, '.env'), `SVC_PLUGIN_CACHE=${cache}\n`);
  await svc(directory, 'plugin', 'install');
  expect(existsSync(join(cache, 'tax/plugin.hcl'))).toBe(true);
  expect((await svc(directory, 'validate')).status).toBe(0);
});

test('S-84: svc validate asks no other machine, and refuses what is not what the lock names', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0');
  const directory = folderWith({ 'a.hcl': `${api}plugin "geo" {\n  source = "${repository.address}"\n}\n` });
  const problems = async () =>
    JSON.parse((await svc(directory, 'validate', '--format', 'json')).out)
      .problems.filter(({ severity }: { severity: string }) => severity === 'error')
      .map(({ code, message }: { code: string; message: string }) => `${code}: ${message}`);
  expect(await problems()).toEqual([`missing-plugin: plugin "geo" (${repository.address}) is not installed`]);
  await svc(directory, 'plugin', 'install');
  rmSync(repository.folder, { recursive: true });
  expect(await problems()).toEqual([]);
  const lock = join(directory, 'plugins.lock');
  const text = readFileSync(lock, 'utf8');
  const { sha256 } = JSON.parse(text).plugins.geo;
  for (const [change, expected] of [
    [
      text.replace(sha256, 'a'.repeat(64)),
      `changed-plugin: the files of plugin "geo" are not those that plugins.lock names (version 1.0.0, SHA-256 ${'a'.repeat(64)})`,
    ],
    [
      text.replace(repository.address, 'file:///other'),
      'unlocked-plugin: plugins.lock has plugin "geo" of another source',
    ],
    [text.replace('"version": 1', '"version": 9'), expect.stringContaining('invalid-lock: plugins.lock has version 9')],
    [text.slice(0, 40), expect.stringContaining('invalid-lock: plugins.lock cannot be read: it is not JSON')],
    [
      '{"version": 1, "plugins": {}}',
      'unlocked-plugin: plugin "geo" is in the cache, and plugins.lock does not have it',
    ],
  ] as const) {
    writeFileSync(lock, change);
    expect(await problems()).toEqual([expected]);
  }
  writeFileSync(lock, text);
  writeFileSync(
    join(directory, 'a.hcl'),
    readFileSync(join(directory, 'a.hcl'), 'utf8').replace('geo" {', 'geo" {\n  version = "^2.0"'),
  );
  expect(await problems()).toEqual([
    'unlocked-plugin: plugins.lock has version 1.0.0 of plugin "geo", and ^2.0 is declared',
  ]);
});

test('S-84, A-11: nothing that is printed has the credentials of a source', async () => {
  const directory = folderWith({
    'a.hcl': `${api}plugin "geo" {\n  source = "https://user:canary@host.example/geo.git"\n}\n`,
  });
  for (const words of [['plugin'], ['plugin', 'list', '--format', 'json'], ['plugin', 'install'], ['validate']]) {
    const { out, error } = await svc(directory, ...words);
    // The line of the configuration is shown to those who wrote it.
    const shown = `${out}${error}`.replace(/^ *\d+ \|.*$/gm, '');
    expect(shown).not.toContain('canary');
  }
  expect((await svc(directory, 'plugin', 'install')).error).toContain('git asks its credential helper');
});
