import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningServer } from '../support/servers/server.ts';
import type { Outcome } from './peer.ts';

const root = join(import.meta.dirname, '../..');

/** Milliseconds after which a test has failed: what another server never does is not waited for as long. */
const testTimeout = 8_000;
/** The same for what is before and after a test. */
const hookTimeout = 4_000;

/** What a run of tests writes about itself. */
interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Test suites of the project that run against a peer in place of the server that `npm test` takes. */
export interface Suites {
  /** The variable that carries the address of the server to the tests. */
  readonly variable: string;
  /** Projects of the tests, with files and folders of each. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** Runs the suites against a peer. Gives each test that was not skipped. */
export async function runSuites(address: string, { variable, paths }: Suites, tell: (line: string) => void) {
  const outcomes: Outcome[] = [];
  for (const [project, files] of Object.entries(paths)) {
    tell(`${project}: ${files.join(', ')}`);
    outcomes.push(...(await runTests(project, files, { [variable]: address })));
  }
  return outcomes;
}

/** Does every check against a peer, and stops it. */
export async function withServer<T>(
  starting: Promise<RunningServer>,
  checks: (address: string) => Promise<T>,
): Promise<T> {
  const server = await starting;
  try {
    return await checks(server.address);
  } finally {
    await server.stop();
  }
}

async function runTests(project: string, files: readonly string[], settings: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-peers-'));
  const file = join(folder, 'report.json');
  try {
    const runner = join(root, 'node_modules/vitest/vitest.mjs');
    const options = [
      '--silent',
      '--testTimeout',
      String(testTimeout),
      '--hookTimeout',
      String(hookTimeout),
      '--project',
      project,
    ];
    const child = spawn(process.execPath, [runner, 'run', ...options, ...files], {
      cwd: root,
      env: { ...process.env, ...settings, TEST_REPORT: file },
      stdio: 'ignore',
    });
    await new Promise((resolve) => child.once('close', resolve));
    return outcomesOf(JSON.parse(readFileSync(file, 'utf8')) as Report);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function outcomesOf(report: Report): Outcome[] {
  return report.testResults.flatMap(({ name, message, assertionResults }): Outcome[] => {
    if (assertionResults.length === 0) return [{ check: name, error: message ?? 'no test of it ran' }];
    const ran = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    return ran.map(({ fullName, status, failureMessages = [] }) =>
      status === 'passed' ? { check: fullName } : { check: fullName, error: firstLine(failureMessages[0] ?? 'failed') },
    );
  });
}

const firstLine = (text: string): string => text.split('\n', 1)[0] as string;
