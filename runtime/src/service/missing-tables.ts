import type { Project } from '@svc/protocol/model';
import { isDatabase } from '../connectors/database/engine.ts';
import { resolveOperation } from '../connectors/operations.ts';
import { flowsOf, sagaOf } from '../flow/declarations.ts';
import { sagaPlaces } from '../flow/saga-places.ts';
import { missingTables } from '../migrate/missing-tables.ts';
import type { Log } from '../observe/log.ts';
import type { Generation } from './generation.ts';

/** Warns of tables that flows name and that are not there yet (decisions 45). Never rejects: whoever asks has no use for it. */
export async function warnOfMissingTables({ plan, connectors }: Generation, log: Log): Promise<void> {
  const tables = tablesByConnector(plan.project);
  for (const [name, { connector }] of connectors) {
    const wanted = tables.get(name);
    if (wanted === undefined || !isDatabase(connector)) continue;
    try {
      for (const table of await missingTables(connector, wanted))
        log.warn(`table "${table}" does not exist; svc migrate applies the files under migrations/`, {
          connector: name,
        });
    } catch (error) {
      log.debug('tables could not be looked up', { connector: name, error });
    }
  }
}

/** Tables that destinations and actions of sagas name as such; statements of the author's own are not read. */
export function tablesByConnector(project: Project): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>();
  for (const flow of flowsOf(project)) {
    const saga = sagaOf(flow);
    const asking = saga ? sagaPlaces(saga).map(({ values }) => values) : flow.values.to.filter(isWithoutTransaction);
    for (const { connector = '', operation, target, query } of asking) {
      const declaration = project.connectors.get(connector);
      if (declaration?.spec?.type !== 'database' || query !== undefined) continue;
      const named = resolveOperation(declaration, operation);
      const table = target === undefined ? named?.target : target.kind === 'constant' ? target.value : undefined;
      if (named?.query !== undefined || typeof table !== 'string') continue;
      const known = tables.get(connector);
      if (known === undefined) tables.set(connector, new Set([table]));
      else known.add(table);
    }
  }
  return tables;
}

function isWithoutTransaction({ transaction }: { readonly transaction: unknown }): boolean {
  return transaction === undefined;
}
