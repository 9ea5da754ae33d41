import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { until } from '../../../../../test/support/until.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { Inbox } from '../testing/inbox.ts';
import { create } from './connector.ts';
import { file } from './spec.ts';

let around: string;
let root: string;
let files: TargetConnector;
beforeEach(async () => {
  around = folderWith({
    'secret.txt': 'secret',
    'outside/in.txt': 'outside',
    'root/own.txt': 'own',
    'root/in/a.txt': 'a',
  });
  root = join(around, 'root');
  files = create('files', configured(file.config, { base_path: root }), connectorServices()) as TargetConnector;
  await files.open(new AbortController().signal);
});
afterEach(async () => {
  await files.close();
  rmSync(around, { recursive: true });
});

const link = (target: string, path: string) => symlinkSync(join(around, target), join(root, path));

async function ask(operation: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  const execute = files.target.prepare({
    verb: 'call',
    operation,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'step "s"',
  });
  return (await execute({ params })).value;
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    (value) => `answered ${JSON.stringify(value)}`,
    (error: unknown) => (error as Failure).code,
  );
}

describe('S-81: links that lead out of the folder', () => {
  beforeEach(() => {
    link('secret.txt', 'file');
    link('outside', 'folder');
    link('absent', 'nowhere');
    link('root/chain', 'first');
    link('folder', 'chain');
  });

  test('are refused by every operation, and nothing outside is read, written or removed', async () => {
    link('outside', 'chain2');
    for (const path of ['file', 'folder/in.txt', 'folder/new.txt', 'folder/deep/new.txt', 'chain2/in.txt']) {
      const asked = [
        ask('read', { path }),
        ask('download', { path }),
        ask('write', { path, content: 'x' }),
        ask('append', { path, content: 'x', format: 'text' }),
        ask('stat', { path }),
        ask('exists', { path }),
        ask('copy', { source: path, destination: 'copied' }),
        ask('copy', { source: 'own.txt', destination: path }),
      ];
      expect([path, await Promise.all(asked.map(codeOf))]).toEqual([path, asked.map(() => 'value_refused')]);
    }
    for (const path of ['folder', 'folder/']) expect(await codeOf(ask('list', { path }))).toBe('value_refused');
    for (const path of ['folder/in.txt', 'folder/new'])
      expect(await codeOf(ask('move', { source: 'own.txt', destination: path }))).toBe('value_refused');
    expect(await codeOf(ask('mkdir', { path: 'folder/made' }))).toBe('value_refused');
    expect(readdirSync(around).sort()).toEqual(['outside', 'root', 'secret.txt']);
    expect(readdirSync(join(around, 'outside'))).toEqual(['in.txt']);
    expect(readFileSync(join(around, 'secret.txt'), 'utf8')).toBe('secret');
    expect(readFileSync(join(around, 'outside/in.txt'), 'utf8')).toBe('outside');
  });

  test('are in no list, whatever is below them', async () => {
    const paths = ((await ask('list', { path: '', recursive: true })) as { readonly path: string }[]).map(
      ({ path }) => path,
    );
    expect(paths).toEqual(['in', 'in/a.txt', 'own.txt']);
  });

  test('and to nothing are replaced by what is written, which stays inside', async () => {
    await ask('write', { path: 'nowhere', content: 'x' });
    expect(readFileSync(join(root, 'nowhere'), 'utf8')).toBe('x');
    expect(readdirSync(around)).not.toContain('absent');
    link('absent', 'again');
    expect(await codeOf(ask('append', { path: 'again', content: 'x', format: 'text' }))).toBe('value_refused');
    expect(await codeOf(ask('write', { path: 'again/in.txt', content: 'x' }))).toBe('value_refused');
    expect(readdirSync(around)).not.toContain('absent');
  });
});

test('links to files inside are followed; a link itself is what is moved and deleted', async () => {
  link('root/in/a.txt', 'alias');
  link('root/in', 'folder');
  expect(await ask('read', { path: 'alias', format: 'text' })).toEqual([{ content: 'a' }]);
  expect(await ask('read', { path: 'folder/a.txt' })).toEqual([{ content: 'a' }]);
  await ask('write', { path: 'alias', content: 'b' });
  expect(readFileSync(join(root, 'in/a.txt'), 'utf8')).toBe('b');
  await ask('move', { source: 'alias', destination: 'moved' });
  await ask('delete', { path: 'moved' });
  await ask('delete', { path: 'folder' });
  expect(await ask('read', { path: 'in/a.txt' })).toEqual([{ content: 'b' }]);
});

test('S-81: a file that has another name elsewhere is replaced, not changed: the other name keeps what it had', async () => {
  linkSync(join(around, 'secret.txt'), join(root, 'hard.txt'));
  await ask('write', { path: 'hard.txt', content: 'x' });
  expect(readFileSync(join(around, 'secret.txt'), 'utf8')).toBe('secret');
});

test('S-82: loops of links end neither a list nor a watch', async () => {
  mkdirSync(join(root, 'loop'));
  link('root', 'loop/up');
  link('root/self', 'self');
  const listed = (await ask('list', { path: '', recursive: true })) as { readonly path: string }[];
  expect(listed.map(({ path }) => path)).toEqual(['in', 'in/a.txt', 'loop', 'own.txt']);
  expect(await codeOf(ask('read', { path: 'self' }))).toBe('value_refused');
  const inbox = new Inbox();
  mkdirSync(inbox.at('loop'));
  symlinkSync(inbox.folder, inbox.at('loop/up'));
  inbox.put('a.txt', 'x');
  const { paths, events } = await inbox.open();
  await until(() => paths().length === 1 && events.unsettled === 0);
  expect([paths(), inbox.names()]).toEqual([['a.txt'], ['done/a.txt', 'loop/up']]);
  await inbox.close();
});

test('what is neither a file nor a folder is refused, and does not wait', async () => {
  writeFileSync(join(root, 'in/plain'), '');
  symlinkSync('/dev/zero', join(root, 'zero'));
  expect(await codeOf(ask('read', { path: 'zero' }))).toBe('value_refused');
  expect(await ask('exists', { path: 'own.txt/below' })).toEqual({ exists: false, path: 'own.txt/below' });
  expect(await codeOf(ask('read', { path: 'own.txt/below' }))).toBe('value_refused');
  expect(await codeOf(ask('write', { path: 'own.txt/below', content: 'x' }))).toBe('value_refused');
  expect(await codeOf(ask('write', { path: 'in', content: 'x' }))).toBe('value_refused');
  expect(await codeOf(ask('read', { path: 'x'.repeat(300) }))).toBe('value_refused');
});
