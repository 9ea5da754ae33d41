import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

/** The built program. Tests start it directly, so that they measure and signal the service and not its launcher. */
export const program = join(import.meta.dirname, '..', '..', 'runtime', 'dist', 'main.js');

export interface ServiceOptions {
  /** The configuration. Its REST connector listens on `env("PORT")`, its admin server on `env("ADMIN_PORT")`. */
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Further arguments of `svc start`. */
  readonly args?: readonly string[];
  /** It is enough that it says that it is ready: a connector that is unhealthy keeps it from being so. */
  readonly isUnhealthy?: true;
}

/** How a program ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface RunningService {
  /** `http://127.0.0.1:<port>` of the REST connector. */
  readonly address: string;
  readonly admin: string;
  readonly pid: number;
  /** Everything it wrote so far, both streams together. */
  readonly log: string;
  /** Sends SIGTERM, or another signal, and resolves with how it ended. May be called twice. */
  stop(signal?: NodeJS.Signals): Promise<Exit>;
}

/** Starts the built program on free ports and resolves when it says that it is ready. Rejects with its log when it ends first. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  if (!existsSync(program)) throw new Error(`${program} is not there: run "npm run build" first`);
  const [port, adminPort] = [await freePort(), await freePort()];
  const child = spawn(process.execPath, [program, 'start', '-c', options.directory, ...(options.args ?? [])], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment({ PORT: String(port), ADMIN_PORT: String(adminPort), ...options.env }),
  });
  const ended = exitOf(child);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece) => {
      log += piece;
    });
  }
  const admin = `http://127.0.0.1:${adminPort}`;
  const gone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const saidReady = () => /\bready\b/.test(log);
  const isReady = async () => (await fetch(`${admin}/health/ready`)).ok;
  await until(async () => gone() || (options.isUnhealthy === true ? saidReady() : await isReady()));
  if (gone()) {
    const { code, signal } = await ended;
    throw new Error(`the service ended with ${signal ?? code} before it was ready:\n${log}`);
  }
  return {
    address: `http://127.0.0.1:${port}`,
    admin,
    pid: child.pid!,
    get log() {
      return log;
    },
    stop(signal = 'SIGTERM') {
      if (!gone()) child.kill(signal);
      return ended;
    },
  };
}

/** What one command of the built program wrote, and its exit status. */
export interface CommandResult extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command of the built program to its end; `input` is what it reads. */
export async function runCommand(
  args: readonly string[],
  env: Record<string, string> = {},
  input = '',
): Promise<CommandResult> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: environment(env),
  });
  // A command that does not read it may end first.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (piece) => {
      written[name] += piece;
    });
  }
  return { ...(await exitOf(child)), ...written };
}

/** The environment of this process without what would change how the service runs. */
function environment(own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SVC_|OTEL_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  );
  return { ...Object.fromEntries(inherited), NO_COLOR: '1', ...own };
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code, signal }));
  });
}
