// Every check of the project, in the order of what fails fastest; with paths, the tests of these alone. Started by
// test.mjs, which has made the ground ready.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { endWithLauncher } from '../runtime/src/cli/launched.ts';
import { bringUp, type Ground, type Server } from '../test/support/servers/index.ts';
import { type Selection, selectTests } from './selection.ts';
import { build, type Check, staticChecks } from './static-checks.ts';
import { type Counts, countTests, failedFiles, type Report } from './test-report.ts';

const root = join(import.meta.dirname, '..');
const { positionals: paths, values } = readArguments();
const { unit, watch, testNamePattern } = values;
const required = process.env['REQUIRE_SERVICES'] === '1';

interface Row extends Counts {
  readonly name: string;
  readonly seconds: number;
}

/** More failed files than this are not the fault of a crowded machine, and are not run again. */
const repeatedAtMost = 8;

const rows: Row[] = [];
/** The commands that run each thing that failed alone. */
const alone: string[] = [];
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

process.exitCode = await (paths.length > 0 ? checkSelected() : checkAll());

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        unit: { type: 'boolean', default: false },
        watch: { type: 'boolean', default: false },
        testNamePattern: { type: 'string', short: 't' },
      },
    });
  } catch (error) {
    return refuse((error as Error).message);
  }
}

function refuse(problem: string): never {
  console.error(`npm test: ${problem}.`);
  console.error(
    'Usage: npm test -- [PATH...] [-t NAME], npm run test:unit -- [PATH...], npm run test:watch -- PATH...',
  );
  process.exit(2);
}

async function checkAll(): Promise<number> {
  if (watch || testNamePattern !== undefined) refuse('which tests? Name a file, a folder, or a part of a path');
  try {
    const built = await command(build);
    await Promise.all(staticChecks().map((check) => command(check)));
    if (!unit) await startServers();
    await suites({ projects: ['protocol', 'runtime', 'studio', 'test'] });
    if (built && !unit) await suites({ projects: ['scenarios', 'e2e'] });
  } finally {
    await ground?.tearDown();
  }
  return interrupted ? 130 : summarize();
}

/** Runs the tests that the paths name, with what they need and nothing else. */
async function checkSelected(): Promise<number> {
  const selection = select();
  try {
    if (selection.needsBuild && !(await command(build))) return summarize();
    if (!unit && selection.servers.length > 0) await startServers(selection.servers);
    if (watch && !interrupted) return await watchTests(selection);
    await suites(selection);
  } finally {
    await ground?.tearDown();
  }
  return interrupted ? 130 : summarize();
}

function select(): Selection {
  try {
    return selectTests(paths);
  } catch (error) {
    return refuse((error as Error).message);
  }
}

/** Runs one check to its end and shows what it said if it failed. */
async function command({ name, args, alone: byItself }: Check): Promise<boolean> {
  if (interrupted) return false;
  const began = performance.now();
  const { code, output } = await run(args, {});
  const passed = code === 0;
  const row = { name, seconds: (performance.now() - began) / 1_000, passed: 0, failed: 0, skipped: 0 };
  rows.push({ ...row, ...(passed ? { passed: 1 } : { failed: 1 }) });
  if (passed) console.log(`ok      ${name}`);
  else console.log(`FAILED  ${name}\n${output}`);
  if (!passed) alone.push(byItself);
  return passed;
}

async function startServers(wanted?: readonly Server[]): Promise<void> {
  if (interrupted) return;
  const began = performance.now();
  ground = await bringUp(wanted);
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

/** Tests of some projects of vitest: all of them, or those of some files. */
type Tests = Pick<Selection, 'projects'> & Partial<Pick<Selection, 'files'>>;

/**
 * Runs the suites of some projects, and the files that failed again, one at a time and with nothing beside them.
 *
 * The run has failed all the same. A file that passes only then is named at the end: it depends on what else runs, which
 * is a race of the test or of the program.
 */
async function suites(tests: Tests): Promise<void> {
  if (interrupted) return;
  const began = performance.now();
  const { projects, files } = tests;
  const first = await suite(tests);
  const counts = countTests(first.report);
  // Something went wrong outside of every test, such as an error that was not caught.
  if (first.code !== 0 && counts.failed === 0) counts.failed = 1;
  if (testNamePattern !== undefined && counts.passed + counts.failed === 0) {
    console.log(`no test has "${testNamePattern}" in its name`);
    counts.failed = 1;
  }
  const failed = failedFiles(first.report).map(fromRoot);
  alone.push(...failed.map((file) => `npm test -- ${file}`));
  if (files === undefined && failed.length > 0 && failed.length <= repeatedAtMost && !interrupted) {
    console.log(`\nAGAIN   ${failed.join(' ')}\n`);
    const second = await suite({ projects, files: failed }, '--no-file-parallelism');
    if (second.code === 0) unsteady.push(...failed);
  }
  const name = files === undefined ? projects.join(', ') : `${files.length} file${files.length === 1 ? '' : 's'}`;
  rows.push({ name: `tests of ${name}`, seconds: (performance.now() - began) / 1_000, ...counts });
}

/** Runs vitest on some tests, and reads its own report. */
async function suite(tests: Tests, ...options: string[]): Promise<{ code: number; report: Report | undefined }> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-report-'));
  const file = join(folder, 'report.json');
  const { code } = await vitest('run', tests, [
    ...options,
    '--passWithNoTests',
    // Dots for a person who watches, a line for each file in a log that is read later.
    `--reporter=${process.stdout.isTTY ? 'dot' : 'default'}`,
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const report = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Report) : undefined;
  rmSync(folder, { recursive: true });
  return { code, report };
}

/** Runs the tests again whenever they, or what they import, change; until it is interrupted. */
async function watchTests(tests: Tests): Promise<number> {
  const { code } = await vitest('watch', tests, []);
  return interrupted ? 130 : code;
}

function vitest(mode: 'run' | 'watch', { projects, files = [] }: Tests, options: readonly string[]) {
  const args = [
    ...['node_modules/vitest/vitest.mjs', mode, ...files],
    ...projects.flatMap((project) => ['--project', project]),
    ...(testNamePattern === undefined ? [] : [`--testNamePattern=${testNamePattern}`]),
    ...options,
  ];
  const color: Record<string, string> = process.stdout.isTTY ? {} : { NO_COLOR: '1' };
  const env = { ...ground?.environment, REQUIRE_SERVICES: required ? '1' : '', ...color };
  return run(args, { show: true, env });
}

function fromRoot(file: string): string {
  return relative(root, file);
}

interface RunOptions {
  readonly show?: boolean;
  readonly env?: Record<string, string>;
}

/** Runs Node, or a program of node_modules/.bin, with the Node of this process first in its path. */
function run(
  args: readonly string[],
  { show = false, env = {} }: RunOptions,
): Promise<{ code: number; output: string }> {
  const path = [dirname(process.execPath), join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const isProgram = args[0]!.startsWith('node_modules/.bin/');
  const [program, ...rest] = isProgram ? [join(root, args[0]!), ...args.slice(1)] : [process.execPath, ...args];
  return new Promise((resolve, reject) => {
    const child = spawn(program!, rest, {
      cwd: root,
      stdio: [watch ? 'inherit' : 'ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'],
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
  for (const typed of alone) console.log(`FAILED  ${typed}`);
  for (const file of unsteady) console.log(`UNSTEADY ${file}: failed beside other files, passed alone`);
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : '';
  console.log(`\n${total.passed} passed, ${total.failed} failed${skipped}`);
  return total.failed > 0 ? 1 : 0;
}
