import type { Project } from '@svc/protocol/model';
import { isDatabase } from '../../../connectors/database/engine.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import { statementsIn } from '../../../engine/flow/stages/destination/transaction.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/**
 * Statements of transactions that capture a key which their database cannot return, by connector: found at start rather
 * than by the first message. Tables that do not exist yet and databases that do not answer now are skipped.
 */
export async function unknownKeys(
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
): Promise<ReadonlyMap<string, Failure>> {
  const problems = new Map<string, Failure>();
  for (const { name: flow, values } of flowsOf(project)) {
    for (const { connector: name, transaction } of values.to) {
      const connector = connectors.get(name);
      if (transaction === undefined || connector === undefined || !isDatabase(connector)) continue;
      for (const { capture, query } of statementsIn(transaction)) {
        if (capture === undefined) continue;
        const problem = await connector.schema.keyProblem(query).catch(() => undefined);
        if (problem === undefined) continue;
        const text = `flow "${flow}": \`capture = "${capture}"\`: ${problem}`;
        problems.set(name, new Failure('connector_failed', text, { retriable: false, at: { connector: name } }));
      }
    }
  }
  return problems;
}
