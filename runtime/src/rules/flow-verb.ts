import type { Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import type { flow } from '../flow/spec.ts';
import { type FlowVerb, methodOf, verbOfSource, verbOfStatement, verbOfWord } from '../flow/verb.ts';

/** What the trigger of a flow asks for; one for whose answer nobody waits is asked by its destination. */
export function verbOfFlow(
  { from, to, batch, state_transition: transition }: Partial<Values<typeof flow>>,
  connectors: Project['connectors'],
): FlowVerb {
  if (from === undefined && (batch !== undefined || transition !== undefined)) return 'create';
  if (from === undefined) return verbOfDestination(to?.[0], connectors);
  const source = connectors.get(from.connector);
  const named = source && resolveOperation(source, from.operation);
  return verbOfSource(source?.spec?.source, named?.operation ?? from.operation);
}

/** A schedule says nothing, so the destination does by its operation or its statement; else it is written to. */
function verbOfDestination(
  to: Values<typeof flow>['to'][number] | undefined,
  connectors: Project['connectors'],
): FlowVerb {
  const connector = connectors.get(to?.connector ?? '');
  if (to === undefined || connector === undefined) return 'read';
  const named = resolveOperation(connector, to.operation);
  const operation = named?.operation ?? to.operation;
  const word = verbOfWord(operation);
  if (word !== undefined) return word;
  if (methodOf(operation) !== undefined) return verbOfSource(undefined, operation);
  const query = to.query ?? named?.query;
  return query === undefined ? 'create' : verbOfStatement(query);
}
