import type { Project } from '@svc/protocol/model';
import { flowsOf } from '../../../engine/flow/declarations.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';

/** Milliseconds that a server has to say whether it has transactions. */
const longestAnswer = 5_000;

/**
 * Transactions of flows whose server does not have them, by connector: found at start rather than by the first message. Servers that
 * do not answer now are skipped; the first message is refused then.
 */
export async function refusedTransactions(
  project: Project,
  connectors: ReadonlyMap<string, Connector>,
): Promise<ReadonlyMap<string, Failure>> {
  const problems = new Map<string, Failure>();
  for (const { name: flow, values } of flowsOf(project)) {
    for (const { connector: name, transaction } of values.to) {
      const transactions = connectors.get(name)?.target?.transactions;
      if (transaction === undefined || transactions?.refusal === undefined || problems.has(name)) continue;
      const reason = await transactions.refusal(AbortSignal.timeout(longestAnswer)).catch(() => undefined);
      if (reason === undefined) continue;
      const options = { retriable: false, at: { connector: name } };
      problems.set(name, new Failure('connector_failed', `flow "${flow}": transaction: ${reason}`, options));
    }
  }
  return problems;
}
