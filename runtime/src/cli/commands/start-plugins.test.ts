import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { folderWith } from '../../../../test/support/folder.ts';
import { TestRepository } from '../../engine/plugins/testing/repository.ts';
import { configuration, killRunning, startProgram } from '../testing/started.ts';
import { typed } from '../testing/typed.ts';

afterEach(killRunning);

const added = 'a plugin was installed that plugins.lock did not have: commit the file, and it is the same everywhere';

function service() {
  const repository = new TestRepository();
  const commit = repository.release('geo', '1.0.0', { 'geo.wasm': 'one' });
  const directory = folderWith({
    'a.hcl': configuration('1'),
    'plugins.hcl': `plugin "geo" {\n  source  = "${repository.address}"\n  version = "^1.0"\n}\n`,
  });
  return { repository, commit, directory };
}

/** `svc start` with words, until it ends by itself. */
async function refused(directory: string, ...words: string[]): Promise<string> {
  const program = join(import.meta.dirname, '../program.ts');
  const child = spawn(process.execPath, [program, 'start', ...words], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let error = '';
  child.stderr.on('data', (piece) => (error += piece));
  expect(await once(child, 'close')).toEqual([1, null]);
  return error;
}

test.each([1, 2])(
  'a start installs what is declared, with a warning where the lock did not have it (workers: %i)',
  async (workers) => {
    const { commit, directory } = service();
    const first = startProgram(directory, [String(workers)]);
    await first.said('ready');
    expect(first.lines().filter(({ msg }) => msg === added)).toMatchObject([
      { level: 'WARN', plugin: 'geo', version: '1.0.0', commit },
    ]);
    expect(existsSync(join(directory, 'svc_plugins/geo/geo.wasm'))).toBe(true);
    first.child.kill('SIGTERM');
    expect(await first.ended).toBe(0);
    rmSync(join(directory, 'svc_plugins'), { recursive: true });
    const second = startProgram(directory, [String(workers)]);
    await second.said('ready');
    expect(await second.said('plugin installed')).toMatchObject({ plugin: 'geo', version: '1.0.0' });
    expect(second.lines().filter(({ msg }) => msg === added)).toEqual([]);
    second.child.kill('SIGTERM');
    expect(await second.ended).toBe(0);
  },
);

test('a service loads plugins again when the lock changes, and keeps serving when they are not what it names', async () => {
  const { repository, directory } = service();
  await typed(['plugin', 'install'], directory, { PATH: process.env['PATH'] ?? '' });
  const { child, said, ended } = startProgram(directory);
  await said('ready');
  repository.release('geo', '1.1.0', { 'geo.wasm': 'two' });
  await typed(['plugin', 'update'], directory, { PATH: process.env['PATH'] ?? '' });
  await said('reloaded');
  const lock = join(directory, 'plugins.lock');
  writeFileSync(lock, readFileSync(lock, 'utf8').replace(/"sha256": "[0-9a-f]+"/, `"sha256": "${'0'.repeat(64)}"`));
  const failed = await said('reload failed, the earlier configuration keeps serving');
  expect(failed['error']).toBe('the configuration has 1 error');
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
});

test('S-84: a start refuses files that are not those of the lock, a plugin that cannot be had, and more with --frozen', async () => {
  const { repository, directory } = service();
  expect(await refused(directory, '--frozen')).toContain(`(${repository.address}) is not installed`);
  expect(existsSync(join(directory, 'svc_plugins'))).toBe(false);
  await typed(['plugin', 'install'], directory, { PATH: process.env['PATH'] ?? '' });
  writeFileSync(join(directory, 'svc_plugins/geo/geo.wasm'), 'other');
  for (const words of [[], ['--frozen']])
    expect(await refused(directory, ...words)).toContain(
      'the files of plugin "geo" are not those that plugins.lock names',
    );
  rmSync(join(directory, 'svc_plugins'), { recursive: true });
  repository.commit({ 'geo.wasm': 'evil' });
  repository.git('tag', '--force', 'v1.0.0');
  expect(await refused(directory)).toContain('A release that was changed is not installed');
});
