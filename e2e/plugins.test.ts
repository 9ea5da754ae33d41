import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { folderWith } from '../test/support/folder.ts';
import { runCommand, startService } from '../test/support/service.ts';
import { ask, copyExample } from './example.ts';

const { directory, remove } = copyExample('plugin');
const repository = folderWith();

afterAll(() => {
  remove();
  rmSync(repository, { recursive: true });
});

const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=maker', '-c', 'user.email=maker@example.test', ...words], {
    cwd: repository,
    stdio: 'ignore',
  });

/** The example, whose plugin comes from elsewhere. */
function declare(source: string): void {
  const file = join(directory, 'service.hcl');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/source += ".*"/, `source  = "${source}"`));
}

async function areaOf(postcode: string): Promise<unknown> {
  const service = await startService({ directory });
  try {
    return (await ask('POST', `${service.address}/addresses`, { street: 'a', postcode })).body;
  } finally {
    await service.stop();
  }
}

test('S-84: the built program installs a plugin of a repository and of an archive, and serves with it', async () => {
  const before = await areaOf('10115');
  renameSync(join(directory, 'plugins/postcodes'), join(repository, 'postcodes'));
  const names = ['plugin.hcl', 'postcodes.wasm', 'icon.svg'];
  const moved = names.map((name) => [name, join(repository, 'postcodes', name)] as const);
  git('init', '--quiet');
  for (const [name, path] of moved) renameSync(path, join(repository, name));
  git('add', ...names);
  git('commit', '--quiet', '--message=first');
  git('tag', 'v1.0.0');
  declare(`file://${repository}`);
  expect((await runCommand(['validate', '-c', directory])).stdout).toContain('is not installed');
  expect(await runCommand(['plugin', 'install', '-c', directory])).toMatchObject({
    code: 0,
    stdout: 'NAME       VERSION  RESULT\npostcodes  1.0.0    added\n',
  });
  expect((await runCommand(['plugin', '-c', directory])).stdout).toMatch(/postcodes +1\.0\.0 +file:.* installed\n/);
  expect((await runCommand(['validate', '-c', directory])).code).toBe(0);
  expect(await areaOf('10115')).toEqual(before);
  const archive = join(tmpdir(), `postcodes-${process.pid}.tgz`);
  try {
    git('archive', '--format=tar.gz', '--prefix=postcodes-1.0.0/', `--output=${archive}`, 'v1.0.0');
    declare(archive);
    expect((await runCommand(['plugin', 'install', '-c', directory])).stdout).toContain('postcodes  1.0.0    updated');
    rmSync(join(directory, 'svc_plugins'), { recursive: true });
    expect(await areaOf('10115')).toEqual(before);
  } finally {
    rmSync(archive, { force: true });
  }
});
