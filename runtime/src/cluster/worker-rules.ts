import type { ConnectorDeclaration, Project, ProjectRule } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { memoryCache } from '../connectors/cache/memory/spec.ts';
import { sqlite } from '../connectors/database/sqlite/spec.ts';
import { flow } from '../flow/spec.ts';
import { service } from '../service/spec.ts';

/**
 * What lives in the memory of one process would lie when several serve (decisions 22): it is refused with its remedy, and
 * a memory cache is warned about. With one worker there is nothing to say.
 */
export function workerRules(workers: number): readonly ProjectRule[] {
  return workers > 1 ? [checkRateLimit, checkDatabases, checkFlows, checkCaches] : [];
}

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

/** What one worker remembers about a message, another one does not know when the next message comes. */
const checkFlows: ProjectRule = (project, report) => {
  for (const { name, values } of project.all('flow', flow)) {
    const { dedupe, idempotency, async } = values;
    const keeping = [
      ['dedupe', dedupe, dedupe?.cache, 'an equal message that another worker takes is written again'],
      ['idempotency', idempotency, idempotency?.storage, 'a request that another worker takes is carried out again'],
      ['async', async, async?.storage, 'a job of another worker is not found'],
    ] as const;
    for (const [word, block, storage, consequence] of keeping) {
      if (block === undefined || block.scope === 'process' || storage === undefined) continue;
      if (project.connectors.get(storage)?.spec !== memoryCache) continue;
      report(
        'memory-with-workers',
        `${word} of flow "${name}" remembers in the memory of each worker, so ${consequence}`,
        originOf(block, word === 'dedupe' ? 'cache' : 'storage'),
        {
          help: 'Name a redis cache, run one worker, or write scope = "process" to let each worker remember on its own.',
        },
      );
    }
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

function everyConnector(project: Project): readonly ConnectorDeclaration[] {
  return [...project.connectors.values()].flatMap((one) => [one, ...one.profiles.values()]);
}
