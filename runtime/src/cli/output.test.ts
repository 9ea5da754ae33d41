import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { smallService } from '../../../test/support/small-service.ts';
import { until } from '../../../test/support/until.ts';
import { commands } from './commands.ts';
import { inDirectory } from './testing/typed.ts';

const program = join(import.meta.dirname, 'program.ts');

/** What is typed for each command, in a directory with a small service. */
const typed: Readonly<Record<string, { readonly words: readonly string[]; readonly serves?: RegExp }>> = {
  start: { words: [], serves: /ready/ },
  validate: { words: ['--format', 'json'] },
  test: { words: ['--format', 'json'] },
  fmt: { words: ['--check'] },
  check: { words: [] },
  trace: { words: ['status'] },
  preview: { words: ['all', 'status'] },
  migrate: { words: ['status'] },
  workflows: { words: [] },
  users: { words: ['list'] },
  keys: { words: ['rotate'] },
  queue: { words: ['peek', 'api'] },
  plugin: { words: ['list'] },
  init: { words: ['fresh'] },
  add: { words: ['--list'] },
  export: { words: ['openapi'] },
  docs: { words: ['flow'] },
  studio: { words: [], serves: /It opens once/ },
  lsp: { words: [] },
  completion: { words: ['bash'] },
  version: { words: [] },
};

const files = { ...smallService, 'tests/a.hcl': 'test "a" {\n  flow = "status"\n}\n' };

interface Ended {
  readonly status: number | null;
  readonly error: string;
  readonly out: number;
}

/** Runs a command whose output is read, or closed before it writes anything. A server is stopped as soon as it serves. */
async function run(name: string, directory: string, isRead: boolean): Promise<Ended> {
  const { words = [], serves } = typed[name] ?? {};
  const child = spawn(process.execPath, [program, name, ...words], {
    cwd: directory,
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [error, out] = ['', 0];
  child.stderr.on('data', (piece) => (error += piece));
  if (isRead) child.stdout.on('data', (piece: Buffer) => (out += piece.length));
  else child.stdout.destroy();
  if (serves !== undefined) {
    await until(() => serves.test(error) || child.exitCode !== null);
    child.kill('SIGTERM');
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, error, out };
}

test('every command has a line in the table', () => {
  expect(Object.keys(typed)).toEqual(commands.map(({ name }) => name));
});

test.each(commands.map(({ name }) => name))(
  'svc %s ends the same way when no one reads what it writes',
  async (name) => {
    const read = await inDirectory(files, (directory) => run(name, directory, true));
    const unread = await inDirectory(files, (directory) => run(name, directory, false));
    expect(unread.status).toBe(read.status);
    expect(unread.error).not.toMatch(/EPIPE|\bat .*\.ts:/);
  },
);

test('a result that cannot be written for another reason ends with 1 and says why', async () => {
  const full = openSync('/dev/full', 'w');
  const child = spawn(process.execPath, [program, 'docs', 'flow'], { stdio: ['ignore', full, 'pipe'] });
  closeSync(full);
  let error = '';
  child.stderr?.on('data', (piece) => (error += piece));
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(error).toMatch(/^svc: the output cannot be written: ENOSPC.*\n$/);
});
