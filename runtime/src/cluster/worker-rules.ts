import type { ConnectorDeclaration, Project, ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf, type Values } from '@svc/protocol/schema';
import { memoryCache } from '../connectors/cache/memory/spec.ts';
import { sqlite } from '../connectors/database/sqlite/spec.ts';
import { aspect } from '../flow/aspects/spec.ts';
import { flow } from '../flow/spec.ts';
import { flowsOf } from '../rules/flow-places.ts';
import { runsInEveryProcess } from '../rules/schedules.ts';
import { service } from '../service/spec.ts';
import { isProcessLocal } from '../sync/storage-spec.ts';

/**
 * What lives in the memory of one process would lie when several serve (decisions 22): it is refused with its remedy, and
 * a memory cache is warned about. With one worker there is nothing to say.
 */
export function workerRules(workers: number): readonly ProjectRule[] {
  return workers > 1
    ? [checkRateLimit, checkAspectLimits, checkGuards, checkDatabases, checkCaches, checkSchedules, checkWorkflow]
    : [];
}

type FlowValues = Values<typeof flow>;

/** A block of a flow by which executions keep out of each other's way: each worker alone cannot keep that promise. */
interface Guard {
  readonly word: keyof FlowValues & string;
  readonly isLocal: (values: FlowValues, project: Project) => boolean;
  /** Whether the author has said that each worker may do so. */
  readonly isAccepted: (values: FlowValues) => boolean;
  readonly remedy: string;
}

const sharedCache = 'Name a redis cache';
const ownStorage = 'Write storage { driver = "redis" … } into it';

const guards: readonly Guard[] = [
  guard(
    'lock',
    ({ lock }) => lock,
    ownStorage,
    ({ storage }) => isProcessLocal(storage),
  ),
  guard(
    'semaphore',
    ({ semaphore }) => semaphore,
    ownStorage,
    ({ storage }) => isProcessLocal(storage),
  ),
  guard(
    'coordinate',
    ({ coordinate }) => coordinate,
    ownStorage,
    ({ storage }) => isProcessLocal(storage),
  ),
  guard(
    'sequence_guard',
    ({ sequence_guard }) => sequence_guard,
    ownStorage,
    ({ storage }) => isProcessLocal(storage),
  ),
  guard(
    'dedupe',
    ({ dedupe }) => dedupe,
    sharedCache,
    ({ cache }, project) => isMemoryCache(cache, project),
  ),
  guard(
    'idempotency',
    ({ idempotency }) => idempotency,
    sharedCache,
    ({ storage }, project) => isMemoryCache(storage, project),
  ),
  guard(
    'async',
    ({ async }) => async,
    sharedCache,
    ({ storage }, project) => isMemoryCache(storage, project),
  ),
];

function isMemoryCache(name: string | undefined, { connectors }: Project): boolean {
  return name !== undefined && connectors.get(name)?.spec === memoryCache;
}

/** A row of the table: the block, where it may get shared storage, and whether what it names is memory. */
function guard<B extends { readonly scope?: 'process' | undefined }>(
  word: Guard['word'],
  block: (values: FlowValues) => B | undefined,
  remedy: string,
  isLocal: (written: B, project: Project) => boolean,
): Guard {
  return {
    word,
    remedy,
    isLocal: (values, project) => {
      const written = block(values);
      return written !== undefined && isLocal(written, project);
    },
    isAccepted: (values) => block(values)?.scope === 'process',
  };
}

const checkGuards: ProjectRule = (project, report) => {
  for (const { name, values } of project.all('flow', flow))
    for (const { word, isLocal, isAccepted, remedy } of guards)
      if (isLocal(values, project) && !isAccepted(values))
        report(
          'memory-with-workers',
          `${word} of flow "${name}" is kept in the memory of each worker, so workers do not see each other's`,
          originOf(values, word),
          { help: `${remedy}, run one worker, or write scope = "process" to accept it.` },
        );
};

/** The limit that nobody wrote is exempt: each worker has its part of it. */
const checkRateLimit: ProjectRule = (project, report) => {
  const settings = project.one('service', service);
  const limit = settings?.rate_limit;
  if (settings === undefined || limit === undefined || !limit.enabled || limit.scope === 'process') return;
  if (limit.storage !== undefined && project.connectors.get(limit.storage)?.spec !== memoryCache) return;
  report(
    'memory-with-workers',
    'rate_limit counts in the memory of each worker, so callers get a multiple of it',
    isWritten(limit, 'storage') ? originOf(limit, 'storage') : originOf(settings, 'rate_limit'),
    {
      help: 'Name a redis cache as storage, run one worker, or write scope = "process" to let each worker limit on its own.',
    },
  );
};

const checkAspectLimits: ProjectRule = (project, report) => {
  const isShared = (storage: string | undefined) =>
    storage !== undefined && project.connectors.get(storage)?.spec !== memoryCache;
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
          help: 'Name a redis cache as storage, run one worker, or write scope = "process" to let each worker limit on its own.',
        },
      );
};

const checkDatabases: ProjectRule = (project, report) => {
  for (const declaration of everyConnector(project)) {
    if (declaration.spec !== sqlite || !('database' in declaration.values)) continue;
    if (!/^(file:)?:memory:/.test(String(declaration.values.database))) continue;
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
    if (spec === memoryCache)
      report('memory-cache-with-workers', `connector "${name}" is a cache of its own in each worker`, nameOrigin, {
        severity: 'warning',
        help: 'Use driver = "redis" where workers must see the same entries.',
      });
};

const checkSchedules: ProjectRule = (project, report) => {
  for (const flow of flowsOf(project).filter(runsInEveryProcess)) {
    report(
      'schedule-in-every-process',
      `every worker runs flow "${flow.name}" at each tick`,
      originOf(flow.values, 'when'),
      {
        severity: 'warning',
        help: 'Name a relational database or a redis cache as storage of when, so that one of them does.',
      },
    );
  }
};

/** SQLite lets one process write at a time, which is no place where processes share work. */
const checkWorkflow: ProjectRule = (project, report) => {
  const workflow = project.one('service', service)?.workflow;
  if (workflow === undefined || project.connectors.get(workflow.storage)?.spec !== sqlite) return;
  report(
    'sqlite-with-workers',
    `workflows stand in the SQLite database "${workflow.storage}", which serves one process`,
    originOf(workflow, 'storage'),
    { help: 'Name a PostgreSQL database as storage, or run one worker.' },
  );
};

function everyConnector(project: Project): readonly ConnectorDeclaration[] {
  return [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
}
