import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { describeCall } from '../../database/testing/parts.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { asOrdinaryUser } from '../testing/as-ordinary-user.ts';
import { create } from './connector.ts';
import { file } from './spec.ts';

let folder: string;
let files: TargetConnector;
beforeEach(async () => {
  folder = folderWith({ 'a.txt': 'text', 'in/b.txt': 'text' });
  files = create('files', configured(file.config, { base_path: folder }), connectorServices()) as TargetConnector;
  await files.open(new AbortController().signal);
});
afterEach(async () => {
  await files.close();
  rmSync(folder, { recursive: true });
});

async function ask(operation: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
  return (await files.target.prepare(describeCall('call', { operation }))({ params })).value;
}

/** How a call ends that fails. */
async function failing(operation: string, params: Readonly<Record<string, unknown>>): Promise<readonly unknown[]> {
  return ask(operation, params).then(
    () => expect.fail(`${operation} did not fail`),
    ({ code, retriable, message }) => [operation, code, retriable, message],
  );
}

test('what the user of the service may not do fails with the name of the file, and changes nothing', async () => {
  for (const path of ['a.txt', 'in', '']) chmodSync(join(folder, path), path === '' ? 0o555 : 0);
  await asOrdinaryUser(async () => {
    for (const [operation, params, path] of [
      ['read', { path: 'a.txt' }, '"a.txt"'],
      ['download', { path: 'a.txt' }, '"a.txt"'],
      ['append', { path: 'a.txt', content: 'x', format: 'text' }, '"a.txt"'],
      ['write', { path: 'new.txt', content: 'x' }, '"new.txt"'],
      ['delete', { path: 'a.txt' }, '"a.txt"'],
      ['move', { source: 'a.txt', destination: 'c.txt' }, '"c.txt"'],
      ['mkdir', { path: 'other' }, '"other"'],
      ['list', { path: 'in' }, '"in"'],
      ['list', { recursive: true }, '"in"'],
      ['stat', { path: 'in/b.txt' }, '"in/b.txt"'],
    ] as const)
      expect(await failing(operation, params)).toEqual([
        operation,
        'connector_failed',
        false,
        `${path}: the service may not do that: permission denied`,
      ]);
  });
  for (const path of ['', 'in', 'a.txt']) chmodSync(join(folder, path), 0o755);
  expect([readdirSync(folder, { recursive: true }).sort(), readFileSync(join(folder, 'a.txt'), 'utf8')]).toEqual([
    ['a.txt', 'in', 'in/b.txt'],
    'text',
  ]);
});

test('a process without a free file descriptor says so, may try again, and leaves nothing half done', async ({
  skip,
}) => {
  if (process.platform !== 'linux') return skip('the limit of a process is set with prlimit');
  const limit = ['--pid', String(process.pid)];
  const shown = spawnSync('prlimit', [...limit, '--nofile'], { encoding: 'utf8' });
  const before = /(\d+)\s+\d+ files/.exec(shown.stdout ?? '')?.[1];
  if (before === undefined) return skip('prlimit is not here');
  // No program can be started under the limit: the one that lifts it waits before.
  const lifting = spawn('sh', ['-c', `read -r line; prlimit ${limit.join(' ')} --nofile=${before}:`]);
  const lifted = once(lifting, 'exit');
  const asked: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
    ['read', { path: 'a.txt' }],
    ['write', { path: 'a.txt', content: 'other' }],
    ['append', { path: 'a.txt', content: 'x', format: 'text' }],
    ['list', { path: 'in' }],
  ];
  // What is loaded with the first call has its file open for a moment.
  for (const [operation] of asked.filter(([each]) => each !== 'append'))
    await ask(operation, operation === 'write' ? { path: 'in/b.txt', content: 'text' } : { path: 'in' }).catch(
      () => undefined,
    );
  await ask('append', { path: 'in/b.txt', content: '', format: 'text' });
  await ask('read', { path: 'in/b.txt' });
  spawnSync('prlimit', [...limit, '--nofile=0:']);
  const failures = [];
  try {
    for (const [operation, params] of asked) failures.push(await failing(operation, params));
  } finally {
    lifting.stdin.end('\n');
    await lifted;
  }
  expect(failures).toEqual(
    asked.map(([operation, { path }]) => [
      operation,
      'connector_busy',
      true,
      `"${path}": the process has too many open files`,
    ]),
  );
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(['a.txt', 'in', 'in/b.txt']);
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('text');
  for (const [operation, params] of asked) await ask(operation, params);
});

test('R-79: a folder that is missing or denied is refused with how it is corrected', async () => {
  const opening = (base_path: string) =>
    create('other', configured(file.config, { base_path, create_dirs: false }), connectorServices())
      .open(new AbortController().signal)
      .then(
        () => expect.fail('it was opened'),
        ({ code, message }) => [code, message],
      );
  const at = join(folder, 'in/none');
  expect(await opening(at)).toEqual([
    'connector_refused',
    `connector "other": base_path ${at} does not exist. Make the folder, or write create_dirs = true`,
  ]);
  chmodSync(join(folder, 'in'), 0);
  expect(await asOrdinaryUser(() => opening(at))).toEqual([
    'connector_refused',
    `connector "other": base_path ${at} may not be used by the user of the service: permission denied. Give it the folder and those around it`,
  ]);
  chmodSync(join(folder, 'in'), 0o755);
});
