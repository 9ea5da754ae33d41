import { writeFile } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { systemClock } from '../../foundation/observe/clock.ts';
import { readDotenv, withDotenv } from '../../service/config/dotenv.ts';
import { watchConfiguration } from '../../service/config/watch.ts';
import { coalesce } from '../../service/running/coalesce.ts';
import { JsonReport, jsonReport } from '../../tools/harness/reports/json-report.ts';
import { junitReport } from '../../tools/harness/reports/junit-report.ts';
import { textReport } from '../../tools/harness/reports/text-report.ts';
import { runTests, type TestReport } from '../../tools/harness/run-tests.ts';
import type { TestDebugger } from '../../tools/harness/test-debugger.ts';
import { directoryOf } from '../call.ts';
import { type ExitStatus, type Invocation, type Run, UsageError, type Writer } from '../command.ts';
import { reportText } from '../report.ts';

export const run: Run = async (invocation) => {
  const directory = directoryOf(invocation);
  const once = () => runOnce(directory, invocation);
  const { options } = invocation;
  if (options['debug'] === true) return debugOne(directory, invocation);
  if (options['watch'] !== true) return once();
  const { error } = invocation.streams;
  return watch(directory, async () => {
    try {
      return await once();
    } catch (problem) {
      // A folder that is being moved is read again with the next change.
      error.write(`svc test: ${problem instanceof Error ? problem.message : String(problem)}\n`);
      return 1;
    }
  });
};

/** One test that a debugger may stop. It begins when a client is ready, and ends as any other. */
async function debugOne(directory: string, invocation: Invocation): Promise<ExitStatus> {
  const { options, streams, environment, workingDirectory } = invocation;
  if (options['watch'] === true) throw new UsageError('--debug runs one test once: leave --watch away');
  const places = placesOf(directory, invocation) ?? [];
  if (places.length !== 1 || places[0]?.line === undefined)
    throw new UsageError('name the test to debug: --at FILE:LINE, such as tests/orders.hcl:12');
  const { debugTest } = await import('../test-debugging.ts');
  const held = await debugTest(withDotenv(environment, await readDotenv(directory, workingDirectory, environment)));
  try {
    if (options['format'] === 'json-lines')
      streams.out.write(`${JSON.stringify({ kind: 'debug', address: held.address })}\n`);
    else streams.error.write(`svc test: a debugger is awaited at ${held.address}\n`);
    return await runOnce(directory, invocation, held);
  } finally {
    await held.close();
  }
}

/** Where the tests are that were asked for. Throws UsageError for what is not a file of tests. */
function placesOf(directory: string, { options, workingDirectory }: Invocation) {
  const { at } = options;
  return Array.isArray(at) ? at.map((place: string) => placeOf(directory, workingDirectory, place)) : undefined;
}

function placeOf(directory: string, workingDirectory: string, at: string) {
  const [, written = '', line] = /^(.*?)(?::(\d+))?$/s.exec(at) ?? [];
  // As in a message of svc, or as a shell completes it.
  const inside = relative(directory, resolve(workingDirectory, written)).replaceAll('\\', '/');
  const file = inside.startsWith('tests/') ? inside : written;
  if (!/^tests\/.+\.hcl$/.test(file))
    throw new UsageError(`--at names a file of tests, such as tests/orders.hcl or tests/orders.hcl:12, not "${at}"`);
  return { file, line: line === undefined ? undefined : Number(line) };
}

async function runOnce(directory: string, invocation: Invocation, held?: TestDebugger): Promise<ExitStatus> {
  const { options, streams, environment, workingDirectory } = invocation;
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const progress = progressOn(streams.error);
  const output = word('output');
  const isStreamed = word('format') === 'json-lines' && output === undefined;
  let lines: JsonReport | undefined;
  const report = await runTests(directory, {
    environment,
    workingDirectory,
    filter: word('filter'),
    at: placesOf(directory, invocation),
    coverage: options['coverage'] === true,
    debugger: held,
    ended: isStreamed
      ? (result, tested) => streams.out.write((lines ??= new JsonReport(tested)).line(result))
      : undefined,
    progress: progress.tell,
  });
  progress.clear();
  const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(`${reportText({ diagnostics: errors, texts: report.texts }, streams.error.colour)}\n`);
    return 1;
  }
  if (report.results.length === 0) {
    streams.error.write(`svc test: ${noneText(report, directory, options)}\n`);
    return 1;
  }
  if (isStreamed) streams.out.write((lines ?? new JsonReport(report)).lastLine(report));
  const passed = report.results.every(({ problems }) => problems.length === 0);
  if (isStreamed) return passed ? 0 : 1;
  const text = render(report, word('format') ?? 'text', output === undefined && streams.out.colour);
  if (output === undefined) streams.out.write(text);
  else await writeFile(resolve(workingDirectory, output), text);
  return passed ? 0 : 1;
}

function noneText({ total }: TestReport, directory: string, { at }: Invocation['options']): string {
  if (total > 0 && Array.isArray(at)) return `no test of ${total} is at ${at.join(', ')}`;
  return total === 0
    ? `there is no test below ${resolve(directory, 'tests')}; docs/testing.md shows how to write one`
    : `no test of ${total} has this in its name or file`;
}

function render(report: TestReport, format: string, colour: boolean): string {
  if (format === 'json') return jsonReport(report);
  if (format === 'json-lines') {
    const lines = new JsonReport(report);
    return report.results.map((result) => lines.line(result)).join('') + lines.lastLine(report);
  }
  return format === 'junit' ? junitReport(report) : textReport(report, colour);
}

/** Milliseconds that a run may take before its progress is shown, and between two of its lines. */
const progressInterval = 300;

/** One line on a terminal that is overwritten; elsewhere nothing. */
function progressOn(writer: Writer): { readonly tell: (done: number, total: number) => void; clear(): void } {
  let reported = systemClock.elapsed();
  let shown = false;
  return {
    tell: (done, total) => {
      if (!writer.colour || systemClock.elapsed() - reported < progressInterval) return;
      reported = systemClock.elapsed();
      shown = true;
      writer.write(`\r${done} of ${total} tests`);
    },
    clear: () => {
      if (shown) writer.write('\r\u001b[K');
    },
  };
}

/** Runs again after every change until a signal arrives; the last run decides the status. */
async function watch(directory: string, once: () => Promise<ExitStatus>): Promise<ExitStatus> {
  let status: ExitStatus = 1;
  const again = coalesce(async () => {
    status = await once();
  });
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const signal of signals) process.once(signal, () => end());
  // Watched before the first run, so that an edit that is made meanwhile is not lost.
  const stop = watchConfiguration({ directory, changed: () => void again(), settle: 100 });
  // Watching alone does not keep the process.
  const alive = setInterval(() => undefined, 60_000);
  await again();
  await promise;
  clearInterval(alive);
  stop();
  return status;
}
