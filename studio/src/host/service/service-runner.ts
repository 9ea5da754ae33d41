import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readConfiguration, readDotenv, withDotenv } from '@svc/runtime/configuration';
import type { ServiceState } from '../../shared/services.ts';
import { missingQueue } from './create-queues.ts';
import { LogLines } from './log-lines.ts';
import { choosePorts, listeningPorts } from './ports.ts';
import type { RunnerOptions } from './runner-options.ts';

/** Where its notifications are kept; no version control takes them. */
async function captureFolder(directory: string): Promise<{ readonly SVC_CAPTURE: string }> {
  const own = join(directory, '.svc');
  await mkdir(own, { recursive: true, mode: 0o700 });
  await writeFile(join(own, '.gitignore'), '*\n');
  return { SVC_CAPTURE: join(own, 'outbox') };
}

/** Milliseconds that a service may take to stop, and between two looks whether it is ready. */
const grace = 10_000;
const lookEvery = 50;

interface Run {
  readonly child: ChildProcess;
  readonly token: string;
  readonly ended: Promise<void>;
  admin: number;
  /** Where it said that it listens; what was chosen until then. */
  addresses: readonly string[];
  isStopping: boolean;
  /** Queues that it said are missing. */
  readonly missingQueues: Set<string>;
}

/** The service of the open folder: at most one process, which ends when this one does. */
export class ServiceRunner {
  readonly log: LogLines;
  readonly #options: RunnerOptions;
  #state: ServiceState = { kind: 'stopped' };
  #run: Run | undefined;
  #starting: Promise<Run> | undefined;
  #captures = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.log = new LogLines(
      (lines) => options.emit('service.log', { lines }),
      (text) => this.#read(text),
    );
  }

  get state(): ServiceState {
    return this.#state;
  }

  /** The token of the running service, for its own debugger only. */
  tokenFor(address: string): string | undefined {
    return this.#state.kind === 'running' && this.#state.debugAddress === address ? this.#run?.token : undefined;
  }

  /**
   * Resolves when the process was started. Rejects when there is one. `captures` says whether notifications are kept instead of
   * sent, from then on.
   */
  async start(directory: string, captures = this.#captures): Promise<void> {
    if (this.#run !== undefined || this.#starting !== undefined)
      throw new Error('the service is running; stop it first');
    this.#captures = captures;
    this.#become({ kind: 'starting' });
    this.#starting = this.#spawn(directory);
    try {
      this.#run = await this.#starting;
      void this.#awaitReadiness(this.#run);
    } catch (error) {
      this.#become({ kind: 'stopped', reason: error instanceof Error ? error.message : String(error) });
      throw error;
    } finally {
      this.#starting = undefined;
    }
  }

  /** Asks the service to stop, and ends it after 10 s. Resolves when it is over. */
  async stop(): Promise<void> {
    const run = (await this.#starting?.catch(() => undefined)) ?? this.#run;
    if (run === undefined) return;
    if (!run.isStopping) {
      run.isStopping = true;
      this.#become({ kind: 'stopping' });
      // Where there are no signals the closed channel tells it; see `endWithLauncher`.
      if (process.platform === 'win32') run.child.disconnect();
      else run.child.kill('SIGTERM');
    }
    const timer = setTimeout(() => run.child.kill('SIGKILL'), grace);
    await run.ended;
    clearTimeout(timer);
  }

  /** Stops the service, and forgets what it printed and how it ended, as when its folder is left. */
  async forget(): Promise<void> {
    await this.stop();
    this.log.clear();
    this.#captures = false;
    this.#state = { kind: 'stopped' };
  }

  async #spawn(directory: string): Promise<Run> {
    const { program, environment } = this.#options;
    const variables = withDotenv(environment, await readDotenv(directory, directory, environment));
    const files = await readConfiguration(directory, { tests: false });
    const { set, admin, connectors } = await choosePorts(listeningPorts(files), variables);
    const token = variables['SVC_DEBUG_TOKEN'] || randomBytes(32).toString('base64url');
    const capture = this.#captures ? await captureFolder(directory) : {};
    // Event sources wait until the page has set its breakpoints, so that no message passes them.
    const args = [...program.args, 'start', '--debug', '--debug-suspend', directory];
    const child = spawn(program.executable, args, {
      cwd: directory,
      // A start that waits for a debugger needs one process.
      env: { ...environment, ...set, ...capture, SVC_DEBUG_TOKEN: token, SVC_SUPERVISED: '1', SVC_WORKERS: '1' },
      // The channel closes when this process ends, however it does; the service stops then.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      // What a terminal sends to its whole group arrives here only: a second signal would cut off what is under way.
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    if (child.stdout !== null) this.log.follow(child.stdout, 'out');
    if (child.stderr !== null) this.log.follow(child.stderr, 'error');
    const addresses = connectors.filter((port) => port > 0).map((port) => `http://localhost:${port}`);
    const ended = new Promise<void>((resolve) => {
      let problem: string | undefined;
      child.on('error', (error) => {
        if (child.pid === undefined) problem = `${program.executable} cannot be run: ${error.message}`;
      });
      child.on('close', (code, signal) => {
        const reason = problem ?? (this.#run?.isStopping ? undefined : endReason(code, signal));
        const missing = [...(this.#run?.missingQueues ?? [])];
        const missingQueues = reason !== undefined && missing.length > 0 ? { missingQueues: missing } : {};
        this.#end(child, { kind: 'stopped', code: code ?? undefined, reason, ...missingQueues });
        resolve();
      });
    });
    return { child, token, ended, admin, addresses, isStopping: false, missingQueues: new Set() };
  }

  #end(child: ChildProcess, state: ServiceState): void {
    if (this.#run?.child !== child) return;
    this.log.flush();
    this.#run = undefined;
    this.#become(state);
  }

  async #awaitReadiness(run: Run): Promise<void> {
    while (this.#run === run && !run.isStopping && this.#state.kind === 'starting') {
      if (await answersReady(run.admin)) this.#running(run);
      else await new Promise((resolve) => setTimeout(resolve, lookEvery));
    }
  }

  #running(run: Run): void {
    if (this.#run !== run || run.isStopping) return;
    const debugAddress = `ws://127.0.0.1:${run.admin}/debug`;
    this.#become({ kind: 'running', debugAddress, addresses: run.addresses, pid: run.child.pid ?? 0 });
  }

  /** The line that says what listens where is right whatever the configuration made of its variables. */
  #read(text: string): void {
    const run = this.#run;
    if (run === undefined) return;
    const missing = missingQueue(text);
    if (missing !== undefined) run.missingQueues.add(missing);
    const found = readyLine(text);
    if (found === undefined) return;
    run.admin = found.admin ?? run.admin;
    const isSame = run.addresses.join() === found.addresses.join();
    run.addresses = found.addresses;
    if (this.#state.kind !== 'running' || !isSame) this.#running(run);
  }

  #become(state: ServiceState): void {
    this.#state = state;
    this.#options.emit('service.state', { state });
  }
}

export async function answersReady(port: number, host = '127.0.0.1'): Promise<boolean> {
  try {
    const answer = await fetch(`http://${host}:${port}/health/ready`, { signal: AbortSignal.timeout(2_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
}

/** What the one line of a start says, as text or as JSON; undefined for every other line. */
export function readyLine(text: string): { admin: number | undefined; addresses: readonly string[] } | undefined {
  const fields = /^\S+ INF ready service=/.test(text)
    ? [...text.matchAll(/ ([\w-]+)=(https?:\/\/\S+)/g)].map(([, name, value]) => [name, value] as const)
    : jsonFields(text);
  if (fields === undefined) return undefined;
  const admin = fields.find(([name]) => name === 'admin')?.[1];
  return {
    admin: admin === undefined ? undefined : Number(new URL(admin).port) || undefined,
    addresses: fields.flatMap(([name, value]) => (name === 'admin' || value === undefined ? [] : [value])),
  };
}

function jsonFields(text: string): (readonly [string, string])[] | undefined {
  if (!text.startsWith('{') || !text.includes('"msg":"ready"')) return undefined;
  try {
    const entries = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return entries.filter((entry): entry is [string, string] => /^https?:\/\//.test(String(entry[1])));
  } catch {
    return undefined;
  }
}

function endReason(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `the service ended with status ${code}` : `the service was ended by ${signal}`;
}
