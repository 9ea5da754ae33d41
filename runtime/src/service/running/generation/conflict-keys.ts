import type { Project } from '@svc/protocol/model';
import { isDatabase } from '../../../connectors/database/engine.ts';
import { isUpsert } from '../../../engine/flow/compile/repeatable.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { targetPlaces } from '../../../engine/flow/flow-places.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * Upserts whose `conflict` names no unique key of their table, by connector: found at start rather than by the first
 * message. Tables that do not exist yet and databases that do not answer now are skipped.
 */
export async function unusableConflicts(
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
): Promise<ReadonlyMap<string, Failure>> {
  const problems = new Map<string, Failure>();
  for (const flow of flowsOf(project)) {
    for (const { kind, title, values } of targetPlaces(flow)) {
      const connector = connectors.get(values.connector);
      if (kind === 'enrich' || connector === undefined || !isDatabase(connector)) continue;
      const { operation, target, words } = values;
      const columns = words.fixed['conflict'] as readonly string[] | undefined;
      const table = typeof target === 'object' && target.kind === 'constant' ? target.value : undefined;
      if (columns === undefined || typeof table !== 'string' || !isUpsert({ operation, query: undefined })) continue;
      const problem = await connector.schema.conflictProblem(table, columns).catch(() => undefined);
      if (problem === undefined) continue;
      const text = `flow "${flow.name}": ${title}: conflict: ${problem}`;
      const failure = new Failure('connector_failed', text, { retriable: false, at: { connector: connector.name } });
      problems.set(connector.name, failure);
    }
  }
  return problems;
}
