import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import type { TestCoverage, TestOutcome } from '../../shared/tests.ts';
import type { Projects } from '../files/projects.ts';
import type { Emit, HostServices } from '../host.ts';
import type { Program } from '../service/runner-options.ts';
import { JsonLines } from './json-lines.ts';

export interface TestRunnerOptions {
  readonly program: Program;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly emit: Emit;
}

/** Milliseconds that a run may take altogether; each test has ten seconds of it. */
const longest = 600_000;
/** Milliseconds after which a run that was asked to end is killed. */
const killTimeout = 2_000;
/** Characters of the complaint of a program that are kept. */
const mostComplaint = 64 * 1024;

/** What `svc test --format json-lines` says, line by line. */
type Line =
  | ({ readonly kind: 'test' } & TestOutcome)
  | { readonly kind: 'debug'; readonly address: string }
  | {
      readonly kind: 'end';
      readonly summary: { readonly run: number; readonly failed: number };
      readonly coverage?: TestCoverage;
    };

interface Run {
  readonly child: ChildProcess;
  /** Why it was ended from here. */
  ended?: string;
}

/** Runs the tests of the open folder by `svc test`, in a program of their own that can be ended. */
export class TestRunner {
  readonly services: Pick<HostServices, 'tests.run' | 'tests.stop' | 'tests.debug'> = {
    'tests.run': ({ at, coverage }) => this.#runTests(at ?? [], coverage === true),
    'tests.stop': async () => {
      this.endAll();
      return {};
    },
    'tests.debug': ({ at }) => this.#debug(at),
  };
  readonly #projects: Projects;
  readonly #options: TestRunnerOptions;
  #run: Run | undefined;
  #debugged: (Run & { readonly token: string; address?: string }) | undefined;

  constructor(projects: Projects, options: TestRunnerOptions) {
    this.#projects = projects;
    this.#options = options;
  }

  /** The token of the test that is debugged at this address. */
  tokenFor(address: string): string | undefined {
    return this.#debugged?.address === address ? this.#debugged.token : undefined;
  }

  /** No page waits for the answer any more, and the one that comes back begins with nothing. */
  pageLeft(): void {
    end(this.#run, 'the page was left');
    end(this.#debugged, 'the page was left');
  }

  endAll(): void {
    end(this.#run, 'the run was ended');
    end(this.#debugged, 'it was ended');
  }

  async #runTests(at: readonly string[], withCoverage: boolean) {
    if (this.#run !== undefined) throw new Error('tests run already: end them first');
    const words = [...at.map((place) => `--at=${place}`), ...(withCoverage ? ['--coverage'] : [])];
    let last: Extract<Line, { kind: 'end' }> | undefined;
    const run: Run = { child: this.#spawn(words) };
    this.#run = run;
    const late = setTimeout(() => end(run, 'the run took longer than 10 minutes and was ended'), longest);
    try {
      const complaint = await this.#follow(run, (line) => {
        if (line.kind === 'end') last = line;
      });
      if (run.ended !== undefined) throw new Error(run.ended);
      if (last === undefined) throw new Error(complaint);
      const { summary, coverage } = last;
      return { total: summary.run, failed: summary.failed, coverage };
    } finally {
      clearTimeout(late);
      this.#run = undefined;
    }
  }

  async #debug(at: string): Promise<{ address: string }> {
    if (this.#debugged !== undefined) throw new Error('a test is being debugged already: end it first');
    const token = randomBytes(32).toString('base64url');
    const { promise, resolve, reject } = Promise.withResolvers<{ address: string }>();
    const run = { child: this.#spawn([`--at=${at}`, '--debug'], { SVC_DEBUG_TOKEN: token }), token, address: '' };
    this.#debugged = run;
    void this.#follow(run, (line) => {
      if (line.kind !== 'debug') return;
      run.address = line.address;
      resolve({ address: line.address });
    }).then((complaint) => {
      this.#debugged = undefined;
      reject(new Error(complaint));
      const { ended: reason } = run as Run;
      this.#options.emit('tests.debugEnded', { address: run.address, reason });
    });
    return promise;
  }

  /** Tells results as they come, several at once. Resolves when the program has ended, with what it complained about. */
  #follow(run: Run, take: (line: Line) => void): Promise<string> {
    const { emit } = this.#options;
    let results: TestOutcome[] = [];
    const tell = () => {
      if (results.length > 0) emit('tests.results', { results });
      results = [];
    };
    const lines = new JsonLines<Line>((line) => {
      if (line.kind !== 'test') return take(line);
      const { kind: _kind, ...outcome } = line;
      if (results.length === 0) setImmediate(tell);
      results.push(outcome);
    });
    const { child } = run;
    child.stdout?.on('data', (piece: Buffer) => {
      if (!lines.add(piece)) end(run, 'the results of one test are larger than 16 MiB');
    });
    let complaint = '';
    child.stderr?.on('data', (piece: Buffer) => {
      complaint = (complaint + piece).slice(0, mostComplaint);
    });
    return new Promise((resolve) => {
      child.on('error', (error) => {
        complaint ||= error.message;
        if (child.pid === undefined) resolve(complaint);
      });
      child.on('close', (code, signal) => {
        tell();
        const why = signal === null ? `the tests ended with status ${code}` : `the tests were ended by ${signal}`;
        resolve(complaint.trim().replace(/^svc test: /, '') || why);
      });
    });
  }

  #spawn(words: readonly string[], more: Readonly<Record<string, string>> = {}): ChildProcess {
    const { directory, trusted } = this.#projects.required;
    if (!trusted) throw new Error('trust this folder first: tests run what is in it');
    const { program, environment } = this.#options;
    const command = [...program.args, 'test', ...words, '--format', 'json-lines', '-c', directory];
    return spawn(program.executable, command, {
      cwd: directory,
      env: { ...environment, NO_COLOR: '1', ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
  }
}

function end(run: Run | undefined, why: string): void {
  if (run === undefined || run.ended !== undefined) return;
  run.ended = why;
  const { child } = run;
  child.kill('SIGTERM');
  const kill = setTimeout(() => child.kill('SIGKILL'), killTimeout);
  child.once('close', () => clearTimeout(kill));
}
