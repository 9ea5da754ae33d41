import type { Project } from '@svc/protocol/model';
import { resolveOperation } from '../connectors/operations.ts';
import { type FlowVerb, verbOfWord } from '../flow/verb.ts';
import type { FlowDeclaration } from './flow-places.ts';

/** What a flow that was asked for `asked` does to a destination, as the flow itself decides it (supplement 3.6). */
export function verbOfDestination(
  to: FlowDeclaration['values']['to'][number] | undefined,
  asked: FlowVerb,
  connectors: Project['connectors'],
): FlowVerb {
  if (to === undefined) return asked;
  if (to.transaction) return asked === 'read' ? 'create' : asked;
  const connector = connectors.get(to.connector);
  const named = connector && resolveOperation(connector, to.operation);
  return verbOfWord(named ? named.operation : to.operation) ?? asked;
}
