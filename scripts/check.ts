// Every check of the project, in the order of what fails fastest. Started by test.mjs, which has made the ground ready.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { endWithLauncher } from '../runtime/src/cli/launched.ts';
import { bringUp, type Ground } from '../test/support/servers/index.ts';

const root = join(import.meta.dirname, '..');
const unit = process.argv.includes('--unit');
const required = process.env['REQUIRE_SERVICES'] === '1';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

interface Row extends Counts {
  readonly name: string;
  readonly seconds: number;
}

/** More failed files than this are not the fault of a crowded machine, and are not run again. */
const repeatedAtMost = 8;

const rows: Row[] = [];
/** Files that failed beside others and passed alone. */
const unsteady: string[] = [];
const children = new Set<ChildProcess>();
let ground: Ground | undefined;
let interrupted = false;

endWithLauncher();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    interrupted = true;
    for (const child of children) child.kill('SIGTERM');
  });
}

process.exitCode = await checkAll();

async function checkAll(): Promise<number> {
  try {
    const built = await command('build', ['scripts/build.mjs']);
    await Promise.all(staticChecks().map(([name, args]) => command(name, args)));
    if (!unit) await startServers();
    await suites(['protocol', 'runtime', 'studio', 'test']);
    if (built && !unit) await suites(['scenarios', 'e2e']);
  } finally {
    await ground?.tearDown();
  }
  return interrupted ? 130 : summarize();
}

/** Checks that only read the sources: a name, and the arguments of Node that run it. */
function staticChecks(): [string, string[]][] {
  const tool = (name: string, ...args: string[]): string[] => [`node_modules/.bin/${name}`, ...args];
  const typeChecks = [
    'protocol',
    'protocol/tsconfig.test.json',
    'runtime',
    'studio',
    'studio/tsconfig.web.json',
    'test',
    'e2e',
    'scripts',
  ];
  return [
    ...typeChecks.map((area): [string, string[]] => [`types of ${area}`, tool('tsc', '-p', area)]),
    ['lint and format', tool('biome', 'check', '--error-on-warnings', '.')],
    ['unused code', tool('knip')],
    ...(existsSync(join(root, 'scripts/docs.ts'))
      ? [['reference pages', ['scripts/docs.ts', '--check']] as [string, string[]]]
      : []),
  ];
}

/** Runs one check to its end and shows what it said if it failed. */
async function command(name: string, args: string[]): Promise<boolean> {
  if (interrupted) return false;
  const began = performance.now();
  const { code, output } = await run(args, {});
  const passed = code === 0;
  const row = { name, seconds: (performance.now() - began) / 1_000, passed: 0, failed: 0, skipped: 0 };
  rows.push({ ...row, ...(passed ? { passed: 1 } : { failed: 1 }) });
  if (passed) console.log(`ok      ${name}`);
  else console.log(`FAILED  ${name}\n${output}`);
  return passed;
}

async function startServers(): Promise<void> {
  if (interrupted) return;
  const began = performance.now();
  ground = await bringUp();
  const row = { name: 'servers', seconds: (performance.now() - began) / 1_000, passed: 0, failed: 0, skipped: 0 };
  for (const each of ground.found) {
    if ('address' in each) {
      row.passed += 1;
      console.log(`UP      ${each.server.name}: ${each.how}, ${each.address}`);
    } else {
      row[required && each.isUnobtainable !== true ? 'failed' : 'skipped'] += 1;
      console.log(`SKIP    ${each.server.name}: ${each.missing}`);
    }
  }
  rows.push(row);
}

/**
 * Runs the suites of some parts, and the files that failed again, one at a time and with nothing beside them.
 *
 * The run has failed all the same. A file that passes only then is named at the end: it depends on what else runs, which
 * is a race of the test or of the program.
 */
async function suites(parts: string[]): Promise<void> {
  if (interrupted) return;
  const began = performance.now();
  const first = await suite(parts, []);
  const counts = countTests(first.report);
  // Something went wrong outside of every test, such as an error that was not caught.
  if (first.code !== 0 && counts.failed === 0) counts.failed = 1;
  const failed = failedFiles(first.report);
  if (failed.length > 0 && failed.length <= repeatedAtMost && !interrupted) {
    console.log(`\nAGAIN   ${failed.map(fromRoot).join(' ')}\n`);
    const second = await suite(parts, failed);
    if (second.code === 0) unsteady.push(...failed.map(fromRoot));
  }
  rows.push({ name: `tests of ${parts.join(', ')}`, seconds: (performance.now() - began) / 1_000, ...counts });
}

/** Runs vitest on some parts, or on some files of theirs, and reads its own report. */
async function suite(parts: string[], files: string[]): Promise<{ code: number; report: Report | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
  const file = join(folder, 'report.json');
  const { code } = await run(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      ...files,
      ...parts.flatMap((part) => ['--project', part]),
      ...(files.length > 0 ? ['--no-file-parallelism'] : []),
      '--passWithNoTests',
      // Dots for a person who watches, a line for each file in a log that is read later.
      `--reporter=${process.stdout.isTTY ? 'dot' : 'default'}`,
      '--reporter=json',
      `--outputFile.json=${file}`,
    ],
    {
      show: true,
      env: {
        ...ground?.environment,
        REQUIRE_SERVICES: required ? '1' : '',
        ...(process.stdout.isTTY ? {} : { NO_COLOR: '1' }),
      },
    },
  );
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(folder, { recursive: true });
  return { code, report };
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

function failedFiles(report: Report | undefined): string[] {
  return (report?.testResults ?? []).filter((each) => each.status === 'failed').map((each) => each.name);
}

function fromRoot(file: string): string {
  return relative(root, file);
}

function countTests(report: Report | undefined): Counts {
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  // A file that could not even be loaded has no test that could fail.
  const broken = report.testResults.filter((each) => each.status === 'failed' && each.assertionResults.length === 0);
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

interface RunOptions {
  readonly show?: boolean;
  readonly env?: Record<string, string>;
}

/** Runs Node, or a program of node_modules/.bin, with the Node of this process first in its path. */
function run(args: string[], { show = false, env = {} }: RunOptions): Promise<{ code: number; output: string }> {
  const path = [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const isProgram = args[0]!.startsWith('node_modules/.bin/');
  const [program, ...rest] = isProgram ? [join(root, args[0]!), ...args.slice(1)] : [process.execPath, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program!, rest, {
      cwd: root,
      stdio: ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
      env: { ...process.env, PATH: path, ...env },
      shell: isProgram && process.platform === 'win32',
    });
    children.add(child);
    let output = '';
    child.stdout?.on('data', (piece) => {
      output += piece;
    });
    child.stderr?.on('data', (piece) => {
      output += piece;
    });
    child.on('error', reject);
    child.on('close', (code) => {
      children.delete(child);
      resolve({ code: code ?? 1, output });
    });
  });
}

/** Prints what was done, then the totals as the last line. */
function summarize(): number {
  const total = { passed: 0, failed: 0, skipped: 0 };
  console.log();
  for (const { name, seconds, passed, failed, skipped } of rows) {
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
    const counts = `${passed} passed${failed > 0 ? `, ${failed} FAILED` : ''}${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`${name.padEnd(34)} ${seconds.toFixed(1).padStart(6)} s   ${counts}`);
  }
  for (const file of unsteady) console.log(`UNSTEADY ${file}: failed beside other files, passed alone`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed > 0 ? 1 : 0;
}
