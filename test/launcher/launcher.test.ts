import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const packageName = `node-${process.platform}-${process.arch}`;
const started: ChildProcess[] = [];
let folder: string;
let report: string;

/** An installation of its own: the real launcher, and a program that reports what reaches it. */
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-launcher-'));
  report = join(folder, 'report');
  cpSync(join(root, 'runtime', 'bin'), join(folder, 'bin'), { recursive: true });
  mkdirSync(join(folder, 'dist'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  install(`await import(${JSON.stringify(join(import.meta.dirname, 'programs', 'service.ts'))});`);
  writeFileSync(join(folder, 'old.cjs'), `Object.defineProperty(process, 'version', { value: 'v16.20.2' });`);
});

afterEach(() => {
  for (const child of started.splice(0)) if (child.exitCode === null) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const install = (program: string): void => writeFileSync(join(folder, 'dist', 'main.js'), program);

function installPackagedNode(): void {
  const bin = join(folder, 'node_modules', packageName, 'bin');
  mkdirSync(bin, { recursive: true });
  symlinkSync(process.execPath, join(bin, 'node'));
}

interface Launched {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; stderr: string }>;
}

/** Starts the launcher in a process group of its own, as a shell does; `old` makes it believe its Node is too old. */
function launch(
  args: string[],
  { old = true, env = {} }: { old?: boolean; env?: Record<string, string> } = {},
): Launched {
  const node = old ? ['--require', join(folder, 'old.cjs')] : [];
  const child = spawn(process.execPath, [...node, join(folder, 'bin', 'svc.js'), ...args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], ...env },
  });
  started.push(child);
  let stderr = '';
  child.stderr!.on('data', (piece) => {
    stderr += piece;
  });
  const ended = new Promise<{ code: number | null; signal: string | null; stderr: string }>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, stderr }));
  });
  return { child, ended };
}

const lines = (): string[] => (existsSync(report) ? readFileSync(report, 'utf8').trimEnd().split('\n') : []);

async function reported(line: RegExp): Promise<string> {
  for (;;) {
    const found = lines().find((each) => line.test(each));
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** What the program reported after its start. */
const received = (): string[] => lines().filter((line) => !line.startsWith('started'));

describe.skipIf(process.platform === 'win32')('the launcher', () => {
  test('runs the program in its own process when its Node is new enough', async () => {
    const { child, ended } = launch([report, '3'], { old: false });
    expect(await reported(/started/)).toBe(`started ${child.pid}`);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 3, signal: null, stderr: '' });
    expect(received()).toEqual(['SIGTERM', 'drained']);
  });

  test('runs the program under the packaged Node when its own is too old, and mirrors the exit status', async () => {
    installPackagedNode();
    install('console.error(process.version, ...process.argv.slice(2)); process.exitCode = 7;');
    expect(await launch(['one', 'two words']).ended).toEqual({
      code: 7,
      signal: null,
      stderr: `${process.version} one two words\n`,
    });
  });

  test('runs the program under the Node that SVC_NODE names', async () => {
    install('process.exitCode = 5;');
    symlinkSync(process.execPath, join(folder, 'another-node'));
    const { code } = await launch([], { env: { SVC_NODE: join(folder, 'another-node') } }).ended;
    expect(code).toBe(5);
  });

  test('says what is needed when there is no Node that is new enough', async () => {
    const { code, stderr } = await launch([]).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        `svc: Node.js 24 or later is needed; this is v16.20.2 (${process.execPath}).\n` +
        'Install it from https://nodejs.org, or name one you have: SVC_NODE=/path/to/node\n',
    });
  });

  test('says that SVC_NODE cannot be run', async () => {
    installPackagedNode();
    const { code, stderr } = await launch([], { env: { SVC_NODE: '/nowhere/node' } }).ended;
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'svc: SVC_NODE names /nowhere/node, which cannot be run. Node.js 24 or later is needed.\n',
    });
  });

  test('says that the program was not built', async () => {
    rmSync(join(folder, 'dist'), { recursive: true });
    const { code, stderr } = await launch([], { old: false }).ended;
    const program = join(folder, 'dist', 'main.js');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `svc: ${program} is not there: build it with "npm run build".\n`,
    });
  });

  test('passes a signal on exactly once', async () => {
    installPackagedNode();
    const { child, ended } = launch([report]);
    await reported(/started/);
    child.kill('SIGTERM');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(received()).toEqual(['SIGTERM', 'drained']);
  });

  test('an interrupt of the whole group, and again from npm, reaches the program once', async () => {
    installPackagedNode();
    const { child, ended } = launch([report]);
    await reported(/started/);
    process.kill(-child.pid!, 'SIGINT');
    await reported(/SIGINT/);
    process.kill(child.pid!, 'SIGINT');
    expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
    expect(received()).toEqual(['SIGINT', 'drained']);
  });

  test('a program ended by a signal gives 128 + its number', async () => {
    installPackagedNode();
    const { ended } = launch([report]);
    process.kill(Number((await reported(/started/)).split(' ')[1]), 'SIGKILL');
    expect(await ended).toEqual({ code: 137, signal: null, stderr: '' });
  });

  test('the program drains when the launcher is killed', async () => {
    installPackagedNode();
    const { child } = launch([report]);
    await reported(/started/);
    child.kill('SIGKILL');
    await reported(/drained/);
    expect(received()).toEqual(['SIGTERM', 'drained']);
  });
});
