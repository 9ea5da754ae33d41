import { isWritten, originOf } from '@svc/protocol/schema';
import { dialectOf } from '../../connectors/database/engines.ts';
import { resolveOperation } from '../../connectors/operations.ts';
import type { FlowRule } from '../../flow/every-flow.ts';
import { methodOf } from '../../flow/verb.ts';
import { verbOfDestination, verbOfFlow } from './flow-verb.ts';

/** A flow that deletes rows of a table says which: without any filter every request fails. */
export const checkDeletions: FlowRule = ({ name, values }, connectors, report) => {
  const { from } = values;
  const source = connectors.get(from?.connector ?? '');
  const operation = (source && resolveOperation(source, from?.operation)?.operation) ?? from?.operation;
  if (methodOf(operation) === undefined || /[:{]/.test(operation ?? '')) return;
  const asked = verbOfFlow(values, connectors);
  for (const to of values.to) {
    if (verbOfDestination(to, asked, connectors) !== 'delete') continue;
    const connector = connectors.get(to.connector);
    const isTable = dialectOf(connector?.spec) !== undefined;
    const query = to.query ?? (connector && resolveOperation(connector, to.operation)?.query);
    if (!isTable || query !== undefined || to.transaction !== undefined || isWritten(to, 'query_filter')) continue;
    report(
      'missing-filter',
      `flow "${name}" deletes rows, and nothing but an id in the message says which`,
      originOf(to),
      {
        severity: 'warning',
        help: 'Write a path such as DELETE /orders/:id, query_filter, or the statement in query.',
      },
    );
  }
};
