import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chownSync, closeSync, existsSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { until, untilPassed } from '../until.ts';
import type { RunningServer } from './server.ts';

/** User and group that a program runs as; empty leaves them as they are. */
export interface User {
  readonly uid?: number;
  readonly gid?: number;
}

export interface Start {
  readonly program: string;
  readonly args: readonly string[];
  /** Where it runs; removed when it was stopped. */
  readonly folder: string;
  readonly user?: User;
  /** Its environment; that of this process when absent. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called when it has ended, before its folder is removed. */
  readonly after?: () => void;
  readonly address: string;
  /** What ends it in an orderly way. */
  readonly signal: NodeJS.Signals;
  readonly answers: (address: string) => Promise<boolean>;
  /** Milliseconds in which it must answer; those of every server when absent. */
  readonly within?: number;
}

export interface RunningProgram extends RunningServer {
  /** Ends it at once, as a crash does, and starts it again with the files that it left; `between` may change these. */
  crash(between?: () => unknown): Promise<void>;
}

/** Milliseconds in which a server must answer after its start, and end after it was asked to. */
const timeouts = { start: 90_000, end: 10_000 };

/** The path of a program in PATH, or where Debian keeps servers that are not in PATH. */
export function findProgram(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin', ...versioned()];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** Debian installs each version of PostgreSQL in a folder of its own; the newest comes first. */
function versioned(): string[] {
  const parent = '/usr/lib/postgresql';
  if (!existsSync(parent)) return [];
  const newestFirst = readdirSync(parent).sort((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(parent, version, 'bin'));
}

/** Some servers refuse to run as root: then the named user, or an unprivileged one. */
export function ordinaryUser(name: string): User {
  if (process.getuid?.() !== 0) return {};
  const number = (flag: string): number => {
    try {
      return Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch {
      return 65_534;
    }
  };
  return { uid: number('-u'), gid: number('-g') };
}

/** Makes a temporary folder that belongs to the user. */
export function makeFolder(name: string, user: User = {}): string {
  const path = mkdtempSync(join(tmpdir(), `svc-${name}-`));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid);
  return path;
}

/**
 * Starts a server in a process group of its own, so that an interrupt of the tests does not reach it before the tests
 * are done with it, and waits until it answers. Rejects with its messages when it ends first or stays silent.
 */
export async function startProgram(start: Start): Promise<RunningProgram> {
  const log = join(start.folder, `${basename(start.program)}.log`);
  let child = await run(start, log);
  return {
    address: start.address,
    log,
    async crash(between) {
      await end(child, 'SIGKILL');
      await between?.();
      // What it started may take a moment to notice.
      child = await untilPassed(() => run(start, log));
    },
    async stop() {
      await end(child, start.signal);
      start.after?.();
      rmSync(start.folder, { recursive: true, force: true });
    },
  };
}

async function run(start: Start, log: string): Promise<ChildProcess> {
  const output = openSync(log, 'a');
  const child = spawn(start.program, start.args, {
    detached: true,
    stdio: ['ignore', output, output],
    cwd: start.folder,
    ...(start.env === undefined ? {} : { env: start.env }),
    ...start.user,
  });
  closeSync(output);
  let failure: Error | undefined;
  child.on('error', (error) => {
    failure = error;
  });
  const alive = (): boolean => failure === undefined && child.exitCode === null && child.signalCode === null;
  const silent = AbortSignal.timeout(start.within ?? timeouts.start);
  const up = await until(async () => !alive() || (await start.answers(start.address)) || silent.aborted);
  if (!up || !alive() || silent.aborted) {
    killGroup(child, 'SIGKILL');
    const why = failure?.message ?? (silent.aborted ? 'it did not answer' : 'it ended at once');
    throw new Error(`${start.program}: ${why}\n${readFileSync(log, 'utf8').slice(-2_000)}`);
  }
  child.unref();
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.ref();
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  const late = setTimeout(() => killGroup(child, 'SIGKILL'), timeouts.end);
  await ended;
  clearTimeout(late);
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, signal);
  } catch {
    // Already gone.
  }
}
