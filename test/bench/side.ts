import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative, sep } from 'node:path';
import { buildSync } from 'esbuild';
import { freePort } from '../support/free-port.ts';
import { program } from '../support/service.ts';
import { until } from '../support/until.ts';

/** One of the two programs of a comparison. */
export interface Side {
  readonly title: string;
  /** The program that is started, where it is svc; another one may take its place. */
  readonly program?: string;
  /** Starts it on a port, in an empty folder that is removed afterwards. */
  start(folder: string, port: number): ChildProcess;
}

export interface Started {
  readonly address: string;
  readonly pid: number;
  /** Milliseconds from its start to its first good answer. */
  readonly readyAfter: number;
  stop(): Promise<void>;
}

/** Prepares a folder: tables, data. */
export type Seed = (folder: string) => void;

/** Both sides log errors only, so that neither pays for a line per request; neither watches its files. */
const quiet = { NODE_ENV: 'production', NO_COLOR: '1', SVC_LOG_LEVEL: 'error' };

export interface ServiceOptions {
  readonly seed?: Seed;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Further files of the configuration. */
  readonly files?: readonly string[];
  /** False: it has no server of its own, and its admin server gets the port. */
  readonly hasServer?: boolean;
}

/** The built program on the `.hcl` files of a folder. */
export function service(folder: string, options: ServiceOptions = {}): Side {
  return {
    title: 'svc',
    program,
    start(work, port) {
      const own = readdirSync(folder).filter((name) => name.endsWith('.hcl'));
      for (const file of [...own.map((name) => join(folder, name)), ...(options.files ?? [])])
        cpSync(file, join(work, basename(file)));
      options.seed?.(work);
      return spawn(
        process.execPath,
        [this.program ?? program, 'start', '--no-hot-reload', '-c', work, ...(options.args ?? [])],
        {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: {
            ...process.env,
            ...quiet,
            PORT: String(port),
            ADMIN_PORT: options.hasServer === false ? String(port) : '0',
            ...options.env,
          },
        },
      );
    },
  };
}

/**
 * A hand-written program: `counterpart.ts` of a folder, which listens on `PORT` and works in the folder it is given. Its
 * types are removed beforehand, since doing so at its start would cost it time and memory.
 */
export function handWritten(folder: string, options: Pick<ServiceOptions, 'seed' | 'env'> = {}): Side {
  const outfile = join(
    import.meta.dirname,
    'dist',
    `${relative(import.meta.dirname, folder).replaceAll(sep, '-')}.mjs`,
  );
  buildSync({
    entryPoints: [join(folder, 'counterpart.ts')],
    outfile,
    bundle: true,
    packages: 'external',
    format: 'esm',
    target: 'node24',
    platform: 'node',
  });
  return {
    title: 'hand-written',
    start(work, port) {
      options.seed?.(work);
      return spawn(process.execPath, [outfile, work], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...quiet, PORT: String(port), ...options.env },
      });
    },
  };
}

/** Starts a side on a free port and waits for its first good answer to `GET <path>`. */
export async function startSide(side: Side, path: string): Promise<Started> {
  const work = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  const port = await freePort();
  const began = performance.now();
  const child = side.start(work, port);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece) => (log += piece));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const gone = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const address = `http://127.0.0.1:${port}`;
  await until(async () => gone() || (await fetch(address + path)).ok);
  const readyAfter = performance.now() - began;
  if (gone()) throw new Error(`${side.title} ended before it answered:\n${log}`);
  return {
    address,
    pid: child.pid!,
    readyAfter,
    async stop() {
      if (!gone()) child.kill('SIGTERM');
      await ended;
      rmSync(work, { recursive: true, force: true });
    },
  };
}

/** Clock ticks of /proc in a second; the kernel gives 100 to programs on every Linux. */
const ticksPerSecond = 100;

/** Seconds of processor time that a process and its children have used; undefined where there is no /proc. */
export function cpuSeconds(pid: number): number | undefined {
  let ticks = 0;
  for (const each of familyOf(pid)) {
    const fields = statOf(each);
    if (fields === undefined) return undefined;
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / ticksPerSecond;
}

/** MiB of memory that a process and its children hold; undefined where there is no /proc. */
export function residentMemory(pid: number): number | undefined {
  let kib = 0;
  for (const each of familyOf(pid)) {
    const line = readProc(each, 'status')?.match(/^VmRSS:\s+(\d+) kB$/m);
    if (line === null || line === undefined) return undefined;
    kib += Number(line[1]);
  }
  return kib / 1_024;
}

function familyOf(pid: number): number[] {
  const children = readProc(pid, `task/${pid}/children`)?.trim() ?? '';
  return [pid, ...(children === '' ? [] : children.split(' ').flatMap((child) => familyOf(Number(child))))];
}

/** Fields of /proc/<pid>/stat behind the name of the program, which may hold spaces. */
function statOf(pid: number): string[] | undefined {
  return readProc(pid, 'stat')?.split(') ').at(-1)?.split(' ');
}

function readProc(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
