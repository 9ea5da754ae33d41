import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { GitState } from '../../shared/git.ts';
import { environment, folderWith, type Opened, openHost } from '../testing/opened.ts';

const flow = 'flow "a" {\n}\n';

/** Runs git as the person who wrote the project does. */
function git(directory: string, ...args: readonly string[]): string {
  const who = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', '-c', 'commit.gpgsign=false'];
  return execFileSync('git', [...who, ...args], {
    cwd: directory,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}

function commit(directory: string): void {
  git(directory, 'add', '--all');
  git(directory, 'commit', '--quiet', '--message', 'work');
}

function repository(files: Readonly<Record<string, string>>): string {
  const directory = folderWith(files);
  git(directory, 'init', '--quiet', '--initial-branch', 'main');
  commit(directory);
  return directory;
}

async function opened(directory: string, env: Record<string, string | undefined> = environment()): Promise<Opened> {
  const host = await openHost({}, { directory, environment: env });
  await host.services['project.trust']({});
  return host;
}

async function stateOf({ services }: Opened): Promise<GitState | undefined> {
  return (await services['git.state']({})).state;
}

const changesOf = async (host: Opened) => (await stateOf(host))?.changes.map(({ path, kind }) => `${kind} ${path}`);

test('the branch, and files that came, changed and went since the last commit, staged or not', async () => {
  const directory = repository({
    'a.hcl': flow,
    'b.hcl': flow,
    'c.hcl': flow,
    'deep/d.hcl': flow,
    '.gitignore': '*.log\n!kept.log\nout/\n',
  });
  const host = await opened(directory);
  expect(await stateOf(host)).toEqual({
    branch: 'main',
    commit: git(directory, 'rev-parse', 'HEAD').trim(),
    changes: [],
    truncated: false,
  });
  writeFileSync(join(directory, 'a.hcl'), 'flow "b" {\n}\n');
  writeFileSync(join(directory, 'deep', 'd.hcl'), flow.replaceAll('\n', '\r\n'));
  rmSync(join(directory, 'b.hcl'));
  for (const name of ['new.hcl', 'x.log', 'kept.log', 'staged.hcl']) writeFileSync(join(directory, name), flow);
  mkdirSync(join(directory, 'out'));
  writeFileSync(join(directory, 'out', 'built.hcl'), flow);
  git(directory, 'add', 'staged.hcl');
  expect(await changesOf(host)).toEqual([
    'changed a.hcl',
    'removed b.hcl',
    'added kept.log',
    'added new.hcl',
    'added staged.hcl',
  ]);
  expect(await host.services['git.text']({ path: 'a.hcl' })).toEqual({ text: flow });
  expect(await host.services['git.text']({ path: 'b.hcl' })).toEqual({ text: flow });
  for (const path of ['new.hcl', '../a.hcl', '.git/config', '/etc/passwd', 'HEAD:a.hcl', '', '-p'])
    expect(await host.services['git.text']({ path })).toEqual({ text: undefined });
});

test('a project below the folder of its repository, a commit checked out, and a repository without a commit', async () => {
  const outer = repository({ 'services/orders/a.hcl': flow, 'other.hcl': flow });
  writeFileSync(join(outer, 'other.hcl'), 'x = 1\n');
  writeFileSync(join(outer, 'services', 'orders', 'a.hcl'), 'x = 1\n');
  git(outer, 'checkout', '--quiet', '--detach');
  const host = await opened(join(outer, 'services', 'orders'));
  expect(await stateOf(host)).toMatchObject({ branch: undefined, changes: [{ path: 'a.hcl', kind: 'changed' }] });
  expect(await host.services['git.text']({ path: 'a.hcl' })).toEqual({ text: flow });
  const fresh = folderWith({ 'a.hcl': flow });
  git(fresh, 'init', '--quiet', '--initial-branch', 'first');
  expect(await stateOf(await opened(fresh))).toEqual({
    branch: 'first',
    commit: undefined,
    changes: [{ path: 'a.hcl', kind: 'added' }],
    truncated: false,
  });
});

test('a commit and another branch are reported to the page', async () => {
  const directory = repository({ 'a.hcl': flow });
  const host = await opened(directory);
  writeFileSync(join(directory, 'a.hcl'), 'x = 1\n');
  expect(await changesOf(host)).toEqual(['changed a.hcl']);
  commit(directory);
  await expect.poll(() => host.emitted.some(({ event }) => event === 'git.changed')).toBe(true);
  expect(await changesOf(host)).toEqual([]);
  git(directory, 'checkout', '--quiet', '-b', 'work');
  expect(await stateOf(host)).toMatchObject({ branch: 'work' });
});

test('nothing is said of a folder without a repository, without git, and before the folder is trusted', async () => {
  expect(await stateOf(await opened(folderWith({ 'a.hcl': flow })))).toBeUndefined();
  const directory = repository({ 'a.hcl': flow });
  expect(await stateOf(await opened(directory, { ...environment(), PATH: folderWith() }))).toBeUndefined();
  const host = await openHost({}, { directory });
  expect(await stateOf(host)).toBeUndefined();
  expect(await host.services['git.text']({ path: 'a.hcl' })).toEqual({ text: undefined });
});

test('a program that is called git in the project is not run', async () => {
  const directory = repository({ 'a.hcl': flow });
  const mark = join(folderWith(), 'ran');
  writeFileSync(join(directory, 'git'), `#!/bin/sh\ntouch ${mark}\n`);
  chmodSync(join(directory, 'git'), 0o755);
  const host = await opened(directory, { ...environment(), PATH: `.::${process.env['PATH']}` });
  expect(await stateOf(host)).toMatchObject({ branch: 'main' });
  expect(existsSync(mark)).toBe(false);
});

/** Every file of a folder with its size and its time. */
function everything(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((path) => [path, statSync(join(directory, path))] as const)
    .filter(([, found]) => found.isFile())
    .map(([path, { size, mtimeMs }]) => `${path} ${size} ${mtimeMs}`)
    .sort();
}

test('nothing that a hostile repository configures is run, and nothing of it is written', async () => {
  const directory = repository({
    'a.hcl': flow,
    'b.hcl': flow,
    '.gitattributes': '*.hcl filter=evil diff=evil merge=evil text=auto\n',
  });
  const mark = join(folderWith(), 'ran');
  const program = join(folderWith({ 'evil.sh': `#!/bin/sh\ntouch ${mark}\ncat\n` }), 'evil.sh');
  chmodSync(program, 0o755);
  const words = [
    'core.fsmonitor',
    'core.pager',
    'core.editor',
    'core.sshCommand',
    'core.gitProxy',
    'core.askPass',
    'diff.external',
    'diff.evil.command',
    'diff.evil.textconv',
    'filter.evil.clean',
    'filter.evil.smudge',
    'filter.evil.process',
    'credential.helper',
    'gpg.program',
    'pager.ls-tree',
    'pager.cat-file',
    'alias.ls-tree',
    'alias.rev-parse',
    'uploadpack.packObjectsHook',
    'remote.origin.uploadpack',
  ];
  for (const word of words) git(directory, 'config', word, program);
  git(directory, 'config', 'filter.evil.required', 'true');
  git(directory, 'config', 'remote.origin.url', `ext::${program}`);
  git(directory, 'config', 'remote.origin.promisor', 'true');
  git(directory, 'config', 'extensions.partialClone', 'origin');
  git(directory, 'config', 'protocol.ext.allow', 'always');
  const hooks = join(directory, '.git', 'hooks');
  mkdirSync(hooks, { recursive: true });
  for (const hook of [
    'post-index-change',
    'post-checkout',
    'reference-transaction',
    'fsmonitor-watchman',
    'query-watchman',
  ]) {
    writeFileSync(join(hooks, hook), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(hooks, hook), 0o755);
  }
  // An object that is missing would be fetched from the remote.
  const id = git(directory, 'rev-parse', 'HEAD:b.hcl').trim();
  writeFileSync(join(directory, 'a.hcl'), 'x = 1\n');
  rmSync(join(directory, '.git', 'objects', id.slice(0, 2), id.slice(2)), { force: true });
  const before = everything(directory);
  const host = await opened(directory);
  expect(await stateOf(host)).toMatchObject({ branch: 'main' });
  expect(await changesOf(host)).toEqual(['changed a.hcl']);
  for (const path of ['a.hcl', 'b.hcl']) await host.services['git.text']({ path });
  expect(existsSync(mark)).toBe(false);
  expect(everything(directory)).toEqual(before);
});

test('a folder that pretends to be a repository, links and files that lead elsewhere are not followed', async () => {
  const bare = folderWith({ 'a.hcl': flow });
  git(bare, 'init', '--quiet', '--bare', '.');
  expect(await stateOf(await opened(bare))).toBeUndefined();
  const directory = repository({ 'a.hcl': flow });
  const secret = folderWith({ 'secret.txt': 'secret\n' });
  git(directory, 'config', 'core.worktree', secret);
  const host = await opened(directory);
  expect(JSON.stringify((await stateOf(host)) ?? '')).not.toContain('secret');
  git(directory, 'config', '--unset', 'core.worktree');
  rmSync(join(directory, 'a.hcl'));
  symlinkSync(join(secret, 'secret.txt'), join(directory, 'a.hcl'));
  expect(await changesOf(host)).toEqual(['removed a.hcl']);
  expect(readFileSync(join(secret, 'secret.txt'), 'utf8')).toBe('secret\n');
});

test('names that git would quote or take for options, and a damaged repository', async () => {
  const directory = repository({ '-p.hcl': flow, 'ä "q"\n.hcl': flow, ':(top)x.hcl': flow });
  const host = await opened(directory);
  expect(await changesOf(host)).toEqual([]);
  writeFileSync(join(directory, '-p.hcl'), '');
  writeFileSync(join(directory, 'ä "q"\n.hcl'), '');
  writeFileSync(join(directory, ':(top)y.hcl'), '');
  expect(await changesOf(host)).toEqual(['changed -p.hcl', 'added :(top)y.hcl', 'changed ä "q"\n.hcl']);
  expect(await host.services['git.text']({ path: '-p.hcl' })).toEqual({ text: flow });
  writeFileSync(join(directory, '.git', 'HEAD'), 'ref: refs/heads/../../../etc/passwd\n');
  expect((await stateOf(host))?.commit).toBeUndefined();
  writeFileSync(join(directory, '.git', 'config'), '[core\n');
  expect(await stateOf(host)).toBeUndefined();
});
