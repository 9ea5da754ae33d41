import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { until } from '../../service/running/testing/fakes.ts';

const program = join(import.meta.dirname, 'program.ts');
const running = new Set<ChildProcess>();

/** Ends every program that a test left running. */
export function killRunning(): void {
  for (const child of running) child.kill('SIGKILL');
}

/** A line of the log. */
interface Line {
  readonly msg: string;
  readonly level: string;
  readonly [field: string]: unknown;
}

/** Runs `svc start` with the stand-in for real flows. Flags: the number of workers. */
export function startProgram(
  directory: string,
  flags: readonly string[] = [],
  own: Readonly<Record<string, string>> = {},
) {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(SVC_|OTEL_|VITEST|NODE_OPTIONS$)/.test(name));
  const child = spawn(process.execPath, [program, directory, ...flags], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: { ...Object.fromEntries(inherited), SVC_LOG_FORMAT: 'json', ...own },
  });
  running.add(child);
  let log = '';
  child.stderr?.on('data', (piece) => {
    log += piece;
  });
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('close', (code, signal) => {
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  const lines = (): Line[] =>
    log
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Line);
  const said = async (message: string, count = 1): Promise<Line> => {
    const found = () => lines().filter(({ msg }) => msg === message);
    await until(() => found().length >= count || child.exitCode !== null || child.signalCode !== null);
    if (found().length < count) throw new Error(`the program ended without "${message}":\n${log}`);
    return found()[count - 1] as Line;
  };
  return { child, ended, lines, said, log: () => log };
}

/** A service whose ports the system chooses. */
export const configuration = (version: string, more = '') => `
service {
  name       = "orders"
  version    = "${version}"
  admin_port = 0
  ${more}
}
connector "api" {
  type = "rest"
  port = 0
}
flow "list" {
  from {
    connector = "api"
    operation = "GET /list"
  }
}
`;

export const portOf = (address: unknown) => Number(new URL(String(address)).port);
