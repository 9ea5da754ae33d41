import type { Project } from '@svc/protocol/model';
import type { Values } from '@svc/protocol/schema';
import { effectOf, specsOf, takesAnswers } from '../../connectors/core/declaration.ts';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { hasWholeWork } from './pipeline/stages.ts';
import type { flow } from './spec.ts';
import * as destination from './stages/destination/verb.ts';
import { type FlowVerb, verbOfSource } from './verb.ts';

type FlowValues = Values<typeof flow>;
type To = FlowValues['to'][number];

/** What the trigger of a flow asks for; for one whose answer no caller waits for, its destination decides. */
export function verbOfFlow(values: Partial<FlowValues>, connectors: Project['connectors']): FlowVerb {
  const { from, to } = values;
  if (from === undefined && hasWholeWork(values)) return 'create';
  if (from === undefined) {
    const [first] = to ?? [];
    if (first === undefined || !connectors.has(first.connector ?? '')) return 'read';
    return destination.verbAskedOf(first, namedIn(first, connectors), effectIn(first, connectors));
  }
  const source = connectors.get(from.connector);
  const named = source && resolveOperation(source, from.operation);
  return verbOfSource(source?.spec?.source, named?.operation ?? from.operation);
}

/** What a flow that was asked for `asked` does to a destination, as the flow itself decides it. */
export function verbOfDestination(to: To | undefined, asked: FlowVerb, connectors: Project['connectors']): FlowVerb {
  return to === undefined
    ? asked
    : destination.verbOfDestination(
        to,
        namedIn(to, connectors),
        asked,
        effectIn(to, connectors),
        takesAnswers(specsIn(to, connectors)),
      );
}

function effectIn(to: To, connectors: Project['connectors']): destination.EffectOf {
  const specs = specsIn(to, connectors);
  return (operation) => effectOf(specs, operation);
}

function specsIn(to: To, connectors: Project['connectors']) {
  const connector = connectors.get(to.connector);
  return connector === undefined ? [] : specsOf(connector);
}

function namedIn(to: To, connectors: Project['connectors']) {
  const connector = connectors.get(to.connector);
  return connector && destination.namedOperation(to, (word) => resolveOperation(connector, word));
}
