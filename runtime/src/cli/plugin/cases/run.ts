import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { everyConnector } from '../../../connectors/core/spec.ts';
import { ModuleHost } from '../../../engine/plugins/host/module-host.ts';
import { PluginProblem } from '../../../engine/plugins/install/problem.ts';
import type { DescribedPlugin } from '../../../engine/plugins/manifest.ts';
import type { Limits, ModuleUse } from '../../../engine/plugins/model.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { Metrics } from '../../../foundation/observe/metrics.ts';
import { differences, pathText } from '../../../tools/harness/compare.ts';
import type { Problem, TestResult } from '../../../tools/harness/result.ts';
import { TestLog } from '../../../tools/harness/test-log.ts';
import { shown } from '../../../tools/harness/text.ts';
import type { PluginCase } from './read.ts';

/** The limits that a service has where it says nothing. */
const limits: Limits = { timeout: 1_000, max_memory_mb: 64, max_bytes: 1_048_576, instances: 1 };
/** Cases that run at the same time, each with an instance of its own. */
const together = 4;

/** Throws a PluginProblem for a module that is not compiled yet. */
export function demandModules(plugin: DescribedPlugin, folder: string): void {
  for (const { path } of usesOf(plugin))
    if (!path.endsWith('/') && !existsSync(join(folder, path)))
      throw new PluginProblem(`there is no ${path.replace('./', '')} in ${folder}; compile it first: npm run build`);
}

/** Runs cases of a plugin, each in a new instance of its module. The results are in the order of the cases. */
export async function runCases(
  cases: readonly PluginCase[],
  plugin: DescribedPlugin,
  folder: string,
): Promise<readonly TestResult[]> {
  const results: TestResult[] = [];
  let next = 0;
  const take = async () => {
    while (next < cases.length) {
      const at = next++;
      results[at] = await runCase(cases[at] as PluginCase, plugin, folder);
    }
  };
  await Promise.all(Array.from({ length: Math.min(together, cases.length) }, take));
  return results;
}

async function runCase(each: PluginCase, plugin: DescribedPlugin, folder: string): Promise<TestResult> {
  const began = systemClock.reading();
  const log = new ModuleLog();
  const problems = await problemsOf(each, plugin, { directory: folder, log, families: new Metrics().families });
  const milliseconds = systemClock.since(began);
  return { name: each.name, flow: each.call, origin: each.origin, problems, calls: [], log: log.lines, milliseconds };
}

type Context = ConstructorParameters<typeof ModuleHost>[2];

async function problemsOf(each: PluginCase, plugin: DescribedPlugin, context: Context): Promise<readonly Problem[]> {
  const found = useFor(each, plugin);
  if (typeof found === 'string') return [problem(each, 'call', 'a function that the plugin exports', found)];
  const { use, kind } = found;
  const initial = each.call === 'init' ? undefined : initialOf(each, use, plugin);
  const host = new ModuleHost({ ...use, title: use.path.replace('./', '') }, limits, context, initial);
  let answer: unknown;
  try {
    answer = await host.call(each.call, kind, JSON.stringify(each.input));
  } catch (error) {
    return failureProblems(each, (error as Error).message);
  } finally {
    await host.close();
  }
  if (each.expected.kind === 'error')
    return [problem(each, 'error', `a failure that says ${JSON.stringify(each.expected.text)}`, shown(answer))];
  const { value, part } = each.expected;
  const options = {
    part,
    scope: {},
    expression: () => {
      throw new Error('cases have no expressions');
    },
  };
  return differences({ kind: 'constant', value, origin: each.origin }, answer, options).map(
    ({ path, expected, actual }) => problem(each, pathText('result', path), expected, shown(actual)),
  );
}

function failureProblems(each: PluginCase, message: string): readonly Problem[] {
  const { expected } = each;
  if (expected.kind === 'value') return [problem(each, 'result', shown(expected.value), `it failed: ${message}`)];
  if (message.includes(expected.text)) return [];
  return [problem(each, 'error', `a failure that says ${JSON.stringify(expected.text)}`, message)];
}

function problem({ origin }: PluginCase, subject: string, expected: string, actual: string): Problem {
  return { subject, expected, actual, origin };
}

function usesOf({ plugin }: DescribedPlugin): readonly ModuleUse[] {
  const { functions, validators, sanitizers, connectors } = plugin;
  return [...new Set([...functions, ...validators, ...sanitizers, ...connectors].map(({ module }) => module))];
}

interface Found {
  readonly use: ModuleUse;
  readonly kind: 'json' | 'flag';
}

/** The module that a case calls, and how its answer is read; or why it cannot be known. */
function useFor({ call, wasm }: PluginCase, described: DescribedPlugin): Found | string {
  const all = usesOf(described).flatMap((use) =>
    use.entries.map((entry) => ({ use, ...entry, file: use.path.replace('./', '') })),
  );
  const named = all.filter(({ name, file }) => name === call && (wasm === undefined || file === wasm));
  const [first] = named;
  if (first === undefined) {
    const names = [...new Set(all.filter(({ optional }) => optional !== true).map(({ name }) => name))];
    const connector =
      described.plugin.connectors.length > 0 ? ['init', 'read', 'write', 'call', 'health', 'close'] : [];
    return `${call} is not among what plugin.hcl names: ${[...names, ...connector].join(', ')}`;
  }
  const files = [...new Set(named.map(({ file }) => file))];
  if (files.length > 1) return `${files.join(' and ')} have ${call}: say which with "wasm"`;
  return { use: first.use, kind: first.kind };
}

/** What `init` of a connector is called with: what the case says, and the defaults of the manifest. */
function initialOf({ config }: PluginCase, use: ModuleUse, { plugin, specs }: DescribedPlugin): string | undefined {
  const at = plugin.connectors.findIndex(({ module }) => module === use);
  const spec = specs[at];
  if (spec === undefined) return undefined;
  const defaults = Object.entries(spec.config.attributes).flatMap(([name, attribute]) =>
    attribute.default === undefined || Object.hasOwn(everyConnector.attributes, name)
      ? []
      : [[name, attribute.default]],
  );
  return JSON.stringify({ ...Object.fromEntries(defaults), ...config });
}

/** Keeps what a module prints, which the host logs as information, too. */
class ModuleLog extends TestLog {
  override info(message?: string): void {
    if (message !== undefined) this.lines.push(message);
  }

  override with(): ModuleLog {
    return this;
  }
}
