import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { watchConfiguration } from '../../config/watch.ts';
import { jsonReport } from '../../harness/json-report.ts';
import { junitReport } from '../../harness/junit-report.ts';
import { runTests, type TestReport } from '../../harness/run-tests.ts';
import { textReport } from '../../harness/text-report.ts';
import { coalesce } from '../../service/coalesce.ts';
import { directoryOf } from '../call.ts';
import type { ExitStatus, Invocation, Run, Writer } from '../command.ts';
import { reportText } from '../report.ts';

export const run: Run = async (invocation) => {
  const directory = directoryOf(invocation);
  const once = () => runOnce(directory, invocation);
  if (invocation.options['watch'] !== true) return once();
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

async function runOnce(directory: string, invocation: Invocation): Promise<ExitStatus> {
  const { options, streams, environment, workingDirectory } = invocation;
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const progress = progressOn(streams.error);
  const report = await runTests(directory, {
    environment,
    workingDirectory,
    filter: word('filter'),
    coverage: options['coverage'] === true,
    progress: progress.tell,
  });
  progress.clear();
  const errors = report.diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(`${reportText({ diagnostics: errors, texts: report.texts }, streams.error.colour)}\n`);
    return 1;
  }
  if (report.results.length === 0) {
    streams.error.write(`svc test: ${noneText(report, directory)}\n`);
    return 1;
  }
  const output = word('output');
  const text = render(report, word('format') ?? 'text', output === undefined && streams.out.colour);
  if (output === undefined) streams.out.write(text);
  else await writeFile(resolve(workingDirectory, output), text);
  return report.results.every(({ problems }) => problems.length === 0) ? 0 : 1;
}

function noneText({ total }: TestReport, directory: string): string {
  return total === 0
    ? `there is no test below ${resolve(directory, 'tests')}; docs/testing.md shows how to write one`
    : `no test of ${total} has this in its name or file`;
}

function render(report: TestReport, format: string, colour: boolean): string {
  if (format === 'json') return jsonReport(report);
  return format === 'junit' ? junitReport(report) : textReport(report, colour);
}

/** Milliseconds that a run may take before its progress is shown, and between two of its lines. */
const progressInterval = 300;

/** One line on a terminal that is overwritten; elsewhere nothing. */
function progressOn(writer: Writer): { readonly tell: (done: number, total: number) => void; clear(): void } {
  let reported = performance.now();
  let shown = false;
  return {
    tell: (done, total) => {
      if (!writer.colour || performance.now() - reported < progressInterval) return;
      reported = performance.now();
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
