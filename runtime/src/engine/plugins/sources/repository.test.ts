import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { TestRepository } from '../testing/repository.ts';
import { FolderWriter } from './file-writer.ts';
import { environmentOfGit } from './git-program.ts';
import type { Release, Wanted } from './origin.ts';
import { RepositoryOrigin } from './repository.ts';

function originOf(repository: TestRepository, variables: Readonly<Record<string, string>> = {}) {
  return new RepositoryOrigin(repository.address, {
    directory: folderWith(),
    workFolder: folderWith(),
    variables: { PATH: process.env['PATH'] ?? '', HOME: repository.folder, ...variables },
    signal: new AbortController().signal,
  });
}

const find = (repository: TestRepository, wanted: Wanted) => originOf(repository).find(wanted);

async function fetched(repository: TestRepository, release?: Release, variables?: Readonly<Record<string, string>>) {
  const origin = originOf(repository, variables);
  const folder = folderWith();
  await origin.fetch(release ?? (await origin.find({ range: '*' })), new FolderWriter(folder));
  return folder;
}

test('the newest tag that a range allows is the release, whatever was tagged last', async () => {
  const repository = new TestRepository();
  const first = repository.release('geo', '1.9.0');
  const second = repository.release('geo', '1.10.0');
  repository.release('geo', '2.0.0-beta.1');
  const tagged = repository.commit();
  repository.git('tag', '--annotate', '--message=third', '1.2.0');
  for (const other of ['latest', 'v1', 'v1.11', 'release-1.12.0', 'v1.13.0+build', 'v01.0.0', 'vv3.0.0'])
    repository.git('tag', other);
  expect(await find(repository, { range: '*' })).toEqual({ version: '1.10.0', commit: second });
  expect(await find(repository, { range: '<1.10' })).toEqual({ version: '1.9.0', commit: first });
  expect(await find(repository, { range: '~1.2' })).toEqual({ version: '1.2.0', commit: tagged });
  expect((await find(repository, { range: '2.0.0-beta.1' })).version).toBe('2.0.0-beta.1');
  await expect(find(repository, { range: '^3.0' })).rejects.toThrow(
    'has no version that is allowed. It has 2.0.0-beta.1, 1.10.0, 1.9.0, 1.2.0.',
  );
  await expect(find(repository, { version: '1.3.0' })).rejects.toThrow('has no tag for the version 1.3.0');
});

test('a repository without releases, and none at all, are said', async () => {
  const repository = new TestRepository();
  repository.commit({ a: 'a' });
  await expect(find(repository, { range: '*' })).rejects.toThrow('has no releases: a release is a tag such as v1.0.0');
  const missing = originOf(repository);
  const elsewhere = new RepositoryOrigin('file:///nowhere/geo', {
    directory: '/',
    workFolder: folderWith(),
    variables: { PATH: process.env['PATH'] },
    signal: new AbortController().signal,
  });
  await expect(elsewhere.find({ range: '*' })).rejects.toThrow('git could not list the tags of file:///nowhere/geo: ');
  expect(missing).toBeDefined();
});

test('S-84: two tags of one version at two commits are refused', async () => {
  const repository = new TestRepository();
  const first = repository.release('geo', '1.0.0');
  const second = repository.commit();
  repository.git('tag', '1.0.0');
  await expect(find(repository, { range: '*' })).rejects.toThrow(/for one version/);
  const message = await find(repository, { version: '1.0.0' }).catch((error: Error) => error.message);
  expect([first, second].every((commit) => String(message).includes(commit))).toBe(true);
});

test('files come as they are in the repository, whatever the configuration of git says of line ends', async () => {
  const repository = new TestRepository();
  const bytes = new Uint8Array(3_000_000).map((_, at) => (at * 7919) % 256);
  repository.release('geo', '1.0.0', {
    'lines.txt': 'a\r\nb\n',
    'unix.txt': 'a\nb\n',
    'deep/er/geo.wasm': bytes,
    'name with spaces and "quotes" ü.txt': '',
    '.gitattributes': '*.txt text eol=crlf\nunix.txt export-ignore filter=evil\n',
  });
  const configuration = join(folderWith(), 'gitconfig');
  writeFileSync(
    configuration,
    '[core]\n\tautocrlf = true\n[filter "evil"]\n\tsmudge = touch smudged\n\trequired = true\n',
  );
  const folder = await fetched(repository, undefined, { GIT_CONFIG_GLOBAL: configuration });
  expect(readdirSync(folder).sort()).toEqual(
    ['.gitattributes', 'deep', 'lines.txt', 'name with spaces and "quotes" ü.txt', 'plugin.hcl', 'unix.txt'].sort(),
  );
  expect(readFileSync(join(folder, 'unix.txt'), 'utf8')).toBe('a\nb\n');
  expect(readFileSync(join(folder, 'lines.txt'), 'utf8')).toBe('a\r\nb\n');
  expect(Buffer.compare(readFileSync(join(folder, 'deep/er/geo.wasm')), Buffer.from(bytes))).toBe(0);
});

test('S-84: neither hooks of a repository nor those of a template run', async () => {
  const repository = new TestRepository();
  const seen = join(folderWith(), 'ran');
  const hook = `#!/bin/sh\ntouch ${seen}\n`;
  const template = folderWith({ 'hooks/post-checkout': hook, 'hooks/reference-transaction': hook });
  for (const name of readdirSync(join(template, 'hooks'))) chmodSync(join(template, 'hooks', name), 0o755);
  repository.release('geo', '1.0.0', { 'hooks/post-checkout': hook, 'hooks/post-merge': hook });
  const configuration = join(folderWith(), 'gitconfig');
  writeFileSync(
    configuration,
    `[core]\n\thooksPath = ${join(template, 'hooks')}\n[init]\n\ttemplateDir = ${template}\n`,
  );
  const folder = await fetched(repository, undefined, {
    GIT_CONFIG_GLOBAL: configuration,
    GIT_TEMPLATE_DIR: template,
  });
  expect(existsSync(join(folder, 'hooks/post-merge'))).toBe(true);
  expect(existsSync(seen)).toBe(false);
});

test('S-84: links and submodules are refused before anything is written', async () => {
  const linked = new TestRepository();
  symlinkSync('/etc/passwd', join(linked.folder, 'plugin.wasm'));
  linked.git('add', 'plugin.wasm');
  linked.release('geo', '1.0.0');
  await expect(fetched(linked)).rejects.toThrow(/^plugin\.wasm of file:.* is a link: a plugin is made of files\.$/);
  const nested = new TestRepository();
  const commit = nested.release('geo', '0.9.0');
  nested.git('update-index', '--add', '--cacheinfo', `160000,${commit},vendor`);
  writeFileSync(join(nested.folder, '.gitmodules'), '[submodule "vendor"]\n\tpath = vendor\n\turl = ../elsewhere\n');
  nested.git('add', '.gitmodules');
  nested.release('geo', '1.0.0');
  await expect(fetched(nested)).rejects.toThrow(/^vendor of file:.* is a submodule: a plugin is made of files\.$/);
});

test.each(['..', '.', '.git', '.GIT', 'a\\b', 'a:b', 'end.', 'a\tb'])(
  'S-84: a file named %j in the tree is refused',
  async (name) => {
    const repository = new TestRepository();
    repository.release('geo', '0.9.0');
    const object = repository.git('hash-object', '-w', 'plugin.hcl');
    // What git itself would not write is made as an object.
    const entry = Buffer.concat([Buffer.from(`100644 ${name}\0`), Buffer.from(object, 'hex')]);
    writeFileSync(join(repository.folder, 'tree'), entry);
    const tree = repository.git('hash-object', '-w', '-t', 'tree', '--literally', 'tree');
    const commit = repository.git('commit-tree', '-m', 'x', tree);
    repository.git('tag', 'v1.0.0', commit);
    await expect(fetched(repository)).rejects.toThrow(/path that is not used|could not/);
  },
);

test('S-84: a tag that moved is refused, with both commits', async () => {
  const repository = new TestRepository();
  const before = repository.release('geo', '1.0.0');
  const after = repository.commit({ 'more.txt': 'x' });
  repository.git('tag', '--force', 'v1.0.0');
  await expect(fetched(repository, { version: '1.0.0', commit: before })).rejects.toThrow(
    `is the commit ${after}, and it was ${before}. A release that was changed is not installed`,
  );
});

test('more files than a plugin may have are refused', async () => {
  const repository = new TestRepository();
  mkdirSync(join(repository.folder, 'many'));
  for (let at = 0; at < 2_001; at++) writeFileSync(join(repository.folder, 'many', `${at}`), '');
  repository.git('add', 'many');
  repository.release('geo', '1.0.0');
  await expect(fetched(repository)).rejects.toThrow('more than 2000 files');
});

test('a machine without git shows what to install', async () => {
  const repository = new TestRepository();
  const origin = originOf(repository, { PATH: folderWith() });
  await expect(origin.find({ range: '*' })).rejects.toThrow('There is no git in PATH, which fetches repositories');
});

test('a command that is interrupted ends git', async () => {
  const repository = new TestRepository();
  repository.release('geo', '1.0.0');
  const program = folderWith({ git: '#!/bin/sh\nsleep 600\n' });
  chmodSync(join(program, 'git'), 0o755);
  const interrupt = new AbortController();
  const origin = new RepositoryOrigin(repository.address, {
    directory: '/',
    workFolder: folderWith(),
    variables: { PATH: `${program}:${process.env['PATH']}` },
    signal: interrupt.signal,
  });
  const found = origin.find({ range: '*' });
  setImmediate(() => interrupt.abort());
  await expect(found).rejects.toThrow('interrupted');
});

test('git is given what signs in, and nothing that leads it elsewhere', () => {
  const env = environmentOfGit({
    PATH: '/bin',
    TOKEN: 'for a helper',
    GIT_DIR: '/elsewhere',
    GIT_WORK_TREE: '/elsewhere',
    GIT_EXTERNAL_DIFF: 'x',
    GIT_TRACE: '1',
    GIT_CONFIG_PARAMETERS: "'core.hooksPath=/x'",
    GIT_ALLOW_PROTOCOL: 'ext',
    GIT_ASKPASS: '/bin/ask',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraheader',
    GIT_CONFIG_VALUE_0: 'x',
    SSH_ASKPASS: '/bin/window',
    SSH_AUTH_SOCK: '/run/agent',
  });
  expect(env).toEqual({
    PATH: '/bin',
    TOKEN: 'for a helper',
    GIT_ASKPASS: '/bin/ask',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraheader',
    GIT_CONFIG_VALUE_0: 'x',
    SSH_AUTH_SOCK: '/run/agent',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes -oConnectTimeout=20',
    GIT_ALLOW_PROTOCOL: 'https:ssh:file',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_PROTOCOL_FROM_USER: '0',
    GCM_INTERACTIVE: 'never',
    LC_ALL: 'C',
  });
  expect(environmentOfGit({ GIT_SSH: '/bin/plink' })).not.toHaveProperty('GIT_SSH_COMMAND');
});
