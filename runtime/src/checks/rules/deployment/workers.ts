import type { ConnectorDeclaration, Project, ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf, processNamedBy, rememberedBy } from '@svc/protocol/schema';
import { sharedCache } from '../../../connectors/core/declaration.ts';
import { dialectOf, enginesWithin } from '../../../connectors/database/engines.ts';
import { auth } from '../../../engine/auth/spec.ts';
import { aspect } from '../../../engine/flow/aspects/spec.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import type { Keeping } from '../../../engine/flow/pipeline/descriptor.ts';
import { blockOf, blockStages } from '../../../engine/flow/pipeline/stages.ts';
import { flow } from '../../../engine/flow/spec.ts';
import { service } from '../../../engine/settings/spec.ts';
import { liveStorage } from '../../../platform/http/live/storage-spec.ts';
import { isProcessLocal, sharedStorage } from '../../../platform/sync/storage-spec.ts';
import { runsInEveryProcess } from '../flows/schedules.ts';

/**
 * What is kept in the memory of one process would be wrong when several serve: it is refused with its remedy, and
 * a memory cache is warned about. With one worker there is nothing to say.
 */
export function workerRules(workers: number): readonly ProjectRule[] {
  return workers > 1
    ? [
        checkRateLimit,
        checkAspectLimits,
        checkGuards,
        checkDatabases,
        checkCaches,
        checkLiveClients,
        checkRemembered,
        checkNamed,
        checkKept,
        checkSchedules,
        checkWorkflow,
        checkSignIn,
      ]
    : [];
}

/** What a block declares when each worker may keep its own. */
interface Written {
  readonly scope?: 'process' | undefined;
  readonly storage?: Parameters<typeof isProcessLocal>[0];
}

const remedies = {
  cache: (project: Project) => `Name a ${sharedCache(project)}`,
  own: () => `Write storage { ${sharedStorage} … } into it`,
};

/** Blocks by which executions keep out of each other's way: each worker alone cannot keep that promise. */
const checkGuards: ProjectRule = (project, report) => {
  for (const { name, values } of project.all('flow', flow))
    for (const { word, keeps } of blockStages) {
      const block = blockOf(values, word) as Written | undefined;
      if (keeps === undefined || block === undefined || block.scope === 'process') continue;
      if (!isLocal(keeps, block, project)) continue;
      report(
        'memory-with-workers',
        `${word} of flow "${name}" is kept in the memory of each worker, so workers do not see each other's`,
        originOf(values, word),
        { help: `${remedies[keeps.storage](project)}, run one worker, or write scope = "process" to accept it.` },
      );
    }
};

function isLocal(keeps: Keeping, block: Written, { connectors }: Project): boolean {
  if (keeps.storage === 'own') return isProcessLocal(block.storage);
  const cache = (block as Readonly<Record<string, unknown>>)[keeps.attribute];
  return typeof cache === 'string' && connectors.get(cache)?.spec?.processLocal === true;
}

/** The default limit is exempt: each worker has its part of it. */
const checkRateLimit: ProjectRule = (project, report) => {
  const settings = project.one('service', service);
  const limit = settings?.rate_limit;
  if (settings === undefined || limit === undefined || !limit.enabled || limit.scope === 'process') return;
  if (limit.storage !== undefined && project.connectors.get(limit.storage)?.spec?.processLocal !== true) return;
  report(
    'memory-with-workers',
    'rate_limit counts in the memory of each worker, so callers get a multiple of it',
    isWritten(limit, 'storage') ? originOf(limit, 'storage') : originOf(settings, 'rate_limit'),
    {
      help: `Name a ${sharedCache(project)} as storage, run one worker, or write scope = "process" to let each worker limit on its own.`,
    },
  );
};

const checkAspectLimits: ProjectRule = (project, report) => {
  const isShared = (storage: string | undefined) =>
    storage !== undefined && project.connectors.get(storage)?.spec?.processLocal !== true;
  for (const { name, values } of project.all('aspect', aspect))
    if (
      values.rate_limit !== undefined &&
      values.rate_limit.scope !== 'process' &&
      !isShared(values.rate_limit.storage)
    )
      report(
        'memory-with-workers',
        `rate_limit of aspect "${name}" counts in the memory of each worker, so callers get a multiple of it`,
        originOf(values, 'rate_limit'),
        {
          help: `Name a ${sharedCache(project)} as storage, run one worker, or write scope = "process" to let each worker limit on its own.`,
        },
      );
};

const checkDatabases: ProjectRule = (project, report) => {
  for (const declaration of everyConnector(project)) {
    if (dialectOf(declaration.spec)?.reach(declaration.values) !== 'process') continue;
    report(
      'memory-with-workers',
      `connector "${declaration.name}" keeps its database in the memory of each worker`,
      originOf(declaration.values, 'database'),
      { help: 'Name a file, or run one worker.' },
    );
  }
};

const checkCaches: ProjectRule = (project, report) => {
  for (const { spec, name, nameOrigin } of everyConnector(project))
    if (spec?.processLocal)
      report('memory-cache-with-workers', `connector "${name}" is a cache of its own in each worker`, nameOrigin, {
        severity: 'warning',
        help: `Use a ${sharedCache(project)} where workers must see the same entries.`,
      });
};

/** What was used at one worker could be used again at another one. */
const checkRemembered: ProjectRule = (project, report) => {
  for (const { spec, name, nameOrigin, values } of everyConnector(project)) {
    const path = spec?.source === undefined ? undefined : rememberedBy(spec.source, values);
    if (path === undefined) continue;
    report(
      'memory-with-workers',
      `what ${path.join('.')} of connector "${name}" remembers is in the memory of each worker, so workers do not see each other's`,
      originOf(values, path[0] as string) ?? nameOrigin,
      { help: 'Run one worker.' },
    );
  }
};

/** Each worker would take the place of the one before it. */
const checkNamed: ProjectRule = (project, report) => {
  for (const { spec, name, nameOrigin, values } of everyConnector(project)) {
    const path = spec?.source === undefined ? undefined : processNamedBy(spec.source, values);
    if (path === undefined) continue;
    report(
      'process-name-with-workers',
      `every worker would be known by ${path.join('.')} of connector "${name}", which names one process`,
      originOf(values, path[0] as string) ?? nameOrigin,
      { help: `Run one worker, or remove ${path.at(-1)}.` },
    );
  }
};

/** What began at one worker may end at another one. */
const checkKept: ProjectRule = (project, report) => {
  for (const { spec, name, nameOrigin, values } of everyConnector(project)) {
    const word = spec?.target?.keepsIn;
    if (word === undefined) continue;
    const storage = values[word as keyof typeof values] as string | undefined;
    if (storage !== undefined && project.connectors.get(storage)?.spec?.processLocal !== true) continue;
    report(
      'memory-with-workers',
      `what connector "${name}" has begun is kept in the memory of each worker, so it cannot end at another one`,
      storage === undefined ? nameOrigin : originOf(values, word),
      { help: `Name a ${sharedCache(project)} as ${word}, or run one worker.` },
    );
  }
};

/** What a worker sends to clients that stay connected reaches its own alone. */
const checkLiveClients: ProjectRule = (project, report) => {
  for (const { spec, name, nameOrigin, values } of everyConnector(project)) {
    if (spec?.config.blocks['storage'] !== liveStorage) continue;
    if (!isProcessLocal(values['storage'] as Parameters<typeof isProcessLocal>[0])) continue;
    report(
      'live-clients-with-workers',
      `what a worker sends by connector "${name}" reaches its own clients alone`,
      nameOrigin,
      {
        severity: 'warning',
        help: `Write storage { ${sharedStorage} … } into it where clients of all workers must get it.`,
      },
    );
  }
};

const checkSchedules: ProjectRule = (project, report) => {
  for (const flow of flowsOf(project).filter(runsInEveryProcess)) {
    report(
      'schedule-in-every-process',
      `every worker runs flow "${flow.name}" at each tick`,
      originOf(flow.values, 'when'),
      {
        severity: 'warning',
        help: `Name a relational database, or a ${sharedCache(project)}, as storage of when, so that one of them does.`,
      },
    );
  }
};

/** A file that one process at a time writes to is not a place where processes share work. */
const checkWorkflow: ProjectRule = (project, report) => {
  const workflow = project.one('service', service)?.workflow;
  const storage = workflow && project.connectors.get(workflow.storage);
  const dialect = dialectOf(storage?.spec);
  if (workflow === undefined || dialect === undefined || dialect.reach(storage?.values ?? {}) === 'network') return;
  report(
    `${storage?.spec?.canonical}-with-workers`,
    `workflows are kept in the ${dialect.title} database "${workflow.storage}", which serves one process`,
    originOf(workflow, 'storage'),
    { help: `Name a ${enginesWithin('network')} database as storage, or run one worker.` },
  );
};

/** A session of one worker would be unknown to the others, and a lock would hold in one of them. */
const checkSignIn: ProjectRule = (project, report) => {
  const written = project.one('auth', auth);
  if (written === undefined) return;
  if (isProcessLocal(written.storage))
    report(
      'memory-with-workers',
      "sessions, locks and limits of auth are kept in the memory of each worker, so workers do not see each other's",
      originOf(written, 'storage'),
      { help: `Write storage { ${sharedStorage} … } into it, or run one worker.` },
    );
  if (written.users === undefined)
    report(
      'memory-with-workers',
      'accounts are kept in the memory of each worker, so each has its own',
      originOf(written),
      { help: 'Write users { connector = … } with a relational database, or run one worker.' },
    );
};

function everyConnector(project: Project): readonly ConnectorDeclaration[] {
  return [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
}
