import { type Diagnostic, LineIndex } from '@svc/protocol/text';
import { test } from '../../checks/tests/spec.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import type { Variables } from '../../service/config/dotenv.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { type Coverage, CoverageWitness } from './coverage.ts';
import { Places } from './places.ts';
import type { TestResult } from './result.ts';
import { runTest, type TestDeclaration } from './run-test.ts';
import { stagesOf } from './stages.ts';
import { testEngine } from './surroundings.ts';
import type { TestDebugger } from './test-debugger.ts';
import { Worlds } from './world.ts';

export interface RunTestsOptions {
  readonly environment: Variables;
  readonly workingDirectory: string;
  /** Part of a name or of a file; only such tests run. */
  readonly filter: string | undefined;
  /** Files whose tests run, or of one the test that is written at a line, from 1; every one without it. */
  readonly at?: readonly { readonly file: string; readonly line: number | undefined }[] | undefined;
  readonly coverage: boolean;
  /** Watches and holds the flow of the only test that runs. */
  readonly debugger?: TestDebugger | undefined;
  /** Called with each result as it comes, in the order in which tests end. */
  readonly ended?: ((result: TestResult, tested: TestedTexts) => void) | undefined;
  /** Called after each test. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** What is tested, as it was read. */
export interface TestedTexts {
  /** Text of every file by its path relative to the directory. */
  readonly texts: ReadonlyMap<string, string>;
  /** Where rules are written. */
  readonly places: Places;
}

/** The result of running the tests of a directory. */
export interface TestReport extends TestedTexts {
  readonly diagnostics: readonly Diagnostic[];
  /** Empty when the configuration has errors. */
  readonly results: readonly TestResult[];
  /** All tests, those included that were filtered out. */
  readonly total: number;
  readonly coverage: Coverage | undefined;
  readonly milliseconds: number;
}

/** Tests that run at a time: others run while one waits. */
const together = 16;

/** Runs the tests of a configuration. Rejects when the directory cannot be read. */
export async function runTests(directory: string, options: RunTestsOptions): Promise<TestReport> {
  const began = systemClock.reading();
  const { environment, workingDirectory } = options;
  const engine = testEngine();
  const loaded = await loadConfiguration(directory, { environment, workingDirectory, tests: true, workers: 1, engine });
  const { project, diagnostics, texts, variables } = loaded;
  const report = { diagnostics, texts, places: new Places(project, engine) };
  const tests = project.all('test', test);
  const failed = diagnostics.some(({ severity }) => severity === 'error');
  if (failed)
    return {
      ...report,
      results: [],
      total: tests.length,
      coverage: undefined,
      milliseconds: systemClock.since(began),
    };
  const files = [...texts].map(([path, text]) => ({ path, text }));
  const worlds = new Worlds({ files, engine, project, directory, workingDirectory, workers: 1, variables });
  const wanted = tests.filter((each) => matches(each, options.filter) && isAt(each, options.at, texts));
  if (options.debugger !== undefined) {
    if (wanted.length !== 1)
      return { ...report, results: [], total: tests.length, coverage: undefined, milliseconds: 0 };
    await options.debugger.begin(project, stagesOf(worlds.standard));
  }
  const witness = options.coverage ? new CoverageWitness(testEngine()) : undefined;
  const results = await inTurns(wanted, options.progress, async (declaration) => {
    const world = worlds.of(declaration.values.env);
    const result =
      'plan' in world
        ? await runTest(declaration, world, { witness, debugger: options.debugger })
        : misconfigured(declaration, world);
    options.ended?.(result, report);
    return result;
  });
  const coverage = witness?.coverage(project, stagesOf(worlds.standard));
  return { ...report, results, total: tests.length, coverage, milliseconds: systemClock.since(began) };
}

function matches({ name, origin }: TestDeclaration, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  const word = filter.toLowerCase();
  return name.toLowerCase().includes(word) || origin.file.toLowerCase().includes(word);
}

function isAt(
  { origin: { file, range } }: TestDeclaration,
  at: RunTestsOptions['at'],
  texts: ReadonlyMap<string, string>,
): boolean {
  if (at === undefined) return true;
  const own = at.filter((place) => place.file === file);
  if (own.length === 0) return false;
  const lines = new LineIndex(texts.get(file) ?? '');
  const [first, last] = [lines.position(range.start).line, lines.position(range.end).line];
  return own.some(({ line }) => line === undefined || (first <= line && line <= last));
}

/** The variables of the test make a configuration that has errors. */
function misconfigured(
  { name, values, origin, nameOrigin }: TestDeclaration,
  errors: readonly Diagnostic[],
): TestResult {
  const problems = errors.map(({ message }) => ({
    subject: 'the configuration with env',
    expected: 'to be valid',
    actual: message,
    origin: nameOrigin,
  }));
  return { name, flow: values.flow, origin, problems, calls: [], log: [], milliseconds: 0 };
}

/** The results in written order, whatever order the work ends in. */
async function inTurns<T, R>(
  items: readonly T[],
  progress: RunTestsOptions['progress'],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  let done = 0;
  const take = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await work(items[at] as T);
      progress?.(++done, items.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, items.length) }, take));
  return results;
}
