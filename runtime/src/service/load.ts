import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import type { EnvironmentGroup } from '../config/environment.ts';
import { type LoadConfigurationOptions, loadConfiguration } from '../config/load.ts';
import { mockedPlan } from '../mocks/mocked-plan.ts';
import { noFlags } from '../mocks/mocking.ts';
import type { Plan } from '../plan/plan.ts';
import { serviceSettings } from './settings.ts';
import type { Loaded } from './setup.ts';
import { service } from './spec.ts';
import { environmentWarnings } from './warnings.ts';

/** Makes a checked project ready; `engine` has compiled its expressions already. */
export type CompilePlan = (project: Project, engine: CelEngine) => Plan | Promise<Plan>;

/** Reads, checks and compiles a directory for a service; the files and `.env` are read anew each time. */
export async function loadService(
  directory: string,
  options: Omit<LoadConfigurationOptions, 'tests'>,
  group: EnvironmentGroup,
  compile: CompilePlan,
): Promise<Loaded> {
  const loaded = await loadConfiguration(directory, { ...options, tests: false });
  const { project, diagnostics, engine, recordings, snapshot } = loaded;
  const { files } = project;
  if (diagnostics.some(({ severity }) => severity === 'error'))
    return { files, diagnostics, warnings: [], ready: undefined };
  const compiled = await compile(project, engine);
  const settings = serviceSettings(project.one('service', service), group);
  const warnings = environmentWarnings(project, group);
  if (recordings === undefined) return { files, diagnostics, warnings, snapshot, ready: { plan: compiled, settings } };
  const { plan, names } = mockedPlan(compiled, recordings, options.mocking ?? noFlags);
  if (group !== 'development')
    warnings.push(...names.map((name) => `${name} answers from mocks, in an environment that is not development`));
  return { files, diagnostics, warnings, snapshot, ready: { plan, settings } };
}
