import type { CelEngine } from '@svc/protocol/cel';
import type { Project } from '@svc/protocol/model';
import { mockedPlan } from '../../engine/mocks/mocked-plan.ts';
import { noFlags } from '../../engine/mocks/mocking.ts';
import { service } from '../../engine/settings/spec.ts';
import type { EnvironmentGroup } from '../../foundation/contracts/environment.ts';
import type { Plan } from '../../foundation/contracts/plan.ts';
import { type LoadConfigurationOptions, loadConfiguration } from '../config/load.ts';
import { serviceSettings } from './settings.ts';
import type { Loaded } from './setup.ts';

/** Prepares a checked project; `engine` has compiled its expressions already. */
export type CompilePlan = (project: Project, engine: CelEngine) => Plan | Promise<Plan>;

/** Reads, checks and compiles a directory for a service; the files and `.env` are read again each time. */
export async function loadService(
  directory: string,
  options: Omit<LoadConfigurationOptions, 'tests' | 'group'>,
  group: EnvironmentGroup,
  compile: CompilePlan,
): Promise<Loaded> {
  const loaded = await loadConfiguration(directory, { ...options, group, tests: false });
  const { project, diagnostics, engine, recordings, snapshot, digests, named } = loaded;
  const { files } = project;
  if (diagnostics.some(({ severity }) => severity === 'error')) return { files, diagnostics, named, ready: undefined };
  const compiled = withFiles(await compile(project, engine), digests);
  const settings = serviceSettings(project.one('service', service), group);
  if (recordings === undefined) return { files, diagnostics, snapshot, named, ready: { plan: compiled, settings } };
  const plan = mockedPlan(compiled, recordings, options.mocking ?? noFlags);
  return { files, diagnostics, snapshot, named, ready: { plan, settings } };
}

/** A connector that knows its peer by a file is another one when the file says something else. */
function withFiles(plan: Plan, digests: ReadonlyMap<string, string>): Plan {
  if (digests.size === 0) return plan;
  const connectors = plan.connectors.map((planned) => {
    const digest = digests.get(planned.name);
    return digest === undefined ? planned : { ...planned, fingerprint: `${planned.fingerprint} ${digest}` };
  });
  return { ...plan, connectors };
}
