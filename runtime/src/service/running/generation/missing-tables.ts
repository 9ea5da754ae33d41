import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type ResolvedOperation, resolveOperation } from '../../../connectors/core/operations.ts';
import { type DatabaseConnector, isDatabase } from '../../../connectors/database/engine.ts';
import { dialectOf } from '../../../connectors/database/engines.ts';
import { pageWords } from '../../../connectors/database/statement/page.ts';
import { resolveAction } from '../../../engine/flow/aspects/action-target.ts';
import { aspect } from '../../../engine/flow/aspects/spec.ts';
import { flowsOf, sagaOf } from '../../../engine/flow/declarations.ts';
import { sagaPlaces } from '../../../engine/flow/sagas/places.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { missingTables } from '../../migrate/missing-tables.ts';
import type { Generation } from './generation.ts';

/**
 * Warns of tables that flows name and that do not exist yet, and of parameters of operations that have no effect on
 * their tables. Never rejects.
 */
export async function warnOfMissingTables({ plan, connectors }: Generation, log: Log): Promise<void> {
  const tables = tablesByConnector(plan.project);
  for (const [name, { connector }] of connectors) {
    const wanted = tables.get(name) ?? [];
    if (!isDatabase(connector)) continue;
    try {
      for (const message of await inertParameters(plan.project, connector)) log.warn(message, { connector: name });
      for (const table of await missingTables(connector, wanted))
        log.warn(`table "${table}" does not exist; svc migrate applies the files under migrations/`, {
          connector: name,
        });
    } catch (error) {
      log.debug('tables could not be looked up', { connector: name, error });
    }
  }
}

/** Parameters of an operation on a table that neither name one of its columns nor page its rows. */
async function inertParameters(project: Project, { name: connector, schema }: DatabaseConnector): Promise<string[]> {
  const declaration = project.connectors.get(connector);
  const messages: string[] = [];
  for (const name of declaration?.operations.keys() ?? []) {
    const { target, params } = resolveOperation(declaration as ConnectorDeclaration, name) as ResolvedOperation;
    const names = params.map(({ label }) => label).filter((label) => !pageWords.some((word) => word === label));
    if (target === undefined || names.length === 0) continue;
    for (const label of await schema.missingColumns(target, names))
      messages.push(`operation "${name}": parameter "${label}" is not a column of "${target}", so it has no effect`);
  }
  return messages;
}

/** Tables that destinations and actions of aspects name directly; statements written by the author are not read. */
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
    return dialectOf(declaration?.spec) !== undefined ? declaration : undefined;
  };
  for (const flow of flowsOf(project)) {
    const saga = sagaOf(flow);
    const asking = saga ? sagaPlaces(saga).map(({ values }) => values) : flow.values.to.filter(isWithoutTransaction);
    for (const { connector = '', operation, target, query } of asking) {
      const declaration = databaseOf(connector);
      if (declaration === undefined || query !== undefined) continue;
      const word = target?.kind === 'constant' ? String(target.value) : undefined;
      // A target that names an operation means the table of that operation.
      const named = resolveOperation(declaration, operation) ?? resolveOperation(declaration, word);
      if (named?.query === undefined) add(connector, named === undefined ? word : named.target);
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
