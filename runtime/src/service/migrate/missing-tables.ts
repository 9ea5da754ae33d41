import type { DatabaseConnector } from '../../connectors/database/engine.ts';

/** Which of the tables that flows use do not exist yet, so that start can name `svc migrate`. */
export async function missingTables(
  connector: DatabaseConnector,
  tables: Iterable<string>,
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const table of new Set(tables)) if (!(await connector.schema.tableExists(table))) missing.push(table);
  return missing;
}
