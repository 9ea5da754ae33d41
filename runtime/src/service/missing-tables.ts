import type { Project } from '@svc/protocol/model';
import { isDatabase } from '../connectors/database/engine.ts';
import { resolveOperation } from '../connectors/operations.ts';
import { resolveAction } from '../flow/aspects/action-target.ts';
import { aspect } from '../flow/aspects/spec.ts';
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

/** Tables that destinations and actions of aspects name as such; statements of the author's own are not read. */
export function tablesByConnector(project: Project): ReadonlyMap<string, ReadonlySet<string>> {
  const tables = new Map<string, Set<string>>();
  const add = (connector: string, table: unknown) => {
    if (typeof table !== 'string') return;
    const known = tables.get(connector);
    if (known === undefined) tables.set(connector, new Set([table]));
    else known.add(table);
  };
  const databaseOf = (connector: string) => {
    const declaration = project.connectors.get(connector);
    return declaration?.spec?.type === 'database' ? declaration : undefined;
  };
  for (const flow of flowsOf(project)) {
    const saga = sagaOf(flow);
    const asking = saga ? sagaPlaces(saga).map(({ values }) => values) : flow.values.to.filter(isWithoutTransaction);
    for (const { connector = '', operation, target, query } of asking) {
      const declaration = databaseOf(connector);
      if (declaration === undefined || query !== undefined) continue;
      const named = resolveOperation(declaration, operation);
      if (named?.query !== undefined) continue;
      add(connector, target === undefined ? named?.target : target.kind === 'constant' ? target.value : undefined);
    }
  }
  for (const { values } of project.all('aspect', aspect)) {
    const { action } = values;
    const declaration = databaseOf(action?.connector ?? '');
    if (action === undefined || declaration === undefined) continue;
    const { target, query } = resolveAction(action, { operation: (word) => resolveOperation(declaration, word) });
    if (query === undefined) add(declaration.name, target);
  }
  return tables;
}

function isWithoutTransaction({ transaction }: { readonly transaction: unknown }): boolean {
  return transaction === undefined;
}
