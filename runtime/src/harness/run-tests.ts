import type { Diagnostic } from '@svc/protocol/text';
import type { Variables } from '../config/dotenv.ts';
import { loadConfiguration } from '../config/load.ts';
import { type Coverage, CoverageWitness } from './coverage.ts';
import { Places } from './places.ts';
import type { TestResult } from './result.ts';
import { runTest, type TestDeclaration } from './run-test.ts';
import { test } from './spec.ts';
import { stagesOf } from './stages.ts';
import { testEngine } from './surroundings.ts';
import { Worlds } from './world.ts';

export interface RunTestsOptions {
  readonly environment: Variables;
  readonly workingDirectory: string;
  /** Part of a name or of a file; only such tests run. */
  readonly filter: string | undefined;
  readonly coverage: boolean;
  /** Called after each test. */
  readonly progress?: ((done: number, total: number) => void) | undefined;
}

/** The result of running the tests of a directory. */
export interface TestReport {
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file by its path relative to the directory. */
  readonly texts: ReadonlyMap<string, string>;
  /** Empty when the configuration has errors. */
  readonly results: readonly TestResult[];
  /** All tests, those included that were filtered out. */
  readonly total: number;
  readonly coverage: Coverage | undefined;
  /** Where rules are written. */
  readonly places: Places;
  readonly milliseconds: number;
}

/** Tests that run at a time: others run while one waits. */
const together = 16;

/** Runs the tests of a configuration. Rejects when the directory cannot be read. */
export async function runTests(directory: string, options: RunTestsOptions): Promise<TestReport> {
  const began = performance.now();
  const { environment, workingDirectory, filter } = options;
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
      milliseconds: performance.now() - began,
    };
  const files = [...texts].map(([path, text]) => ({ path, text }));
  const worlds = new Worlds({ files, engine, project, directory, workingDirectory, workers: 1, variables });
  const wanted = tests.filter((each) => matches(each, filter));
  const witness = options.coverage ? new CoverageWitness(testEngine()) : undefined;
  const results = await inTurns(wanted, options.progress, async (declaration) => {
    const world = worlds.of(declaration.values.env);
    return 'plan' in world ? await runTest(declaration, world, witness) : misconfigured(declaration, world);
  });
  const coverage = witness?.coverage(project, stagesOf(worlds.standard));
  return { ...report, results, total: tests.length, coverage, milliseconds: performance.now() - began };
}

function matches({ name, origin }: TestDeclaration, filter: string | undefined): boolean {
  if (filter === undefined) return true;
  const word = filter.toLowerCase();
  return name.toLowerCase().includes(word) || origin.file.toLowerCase().includes(word);
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
