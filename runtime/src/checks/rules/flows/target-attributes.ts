import type { ConnectorDeclaration, Project, Report } from '@svc/protocol/model';
import { isWritten, type Origin, originOf } from '@svc/protocol/schema';
import { specsOf, takesMessages } from '../../../connectors/core/declaration.ts';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import type { FlowDeclaration } from '../../../engine/flow/declarations.ts';
import type { FlowRule } from '../../../engine/flow/every-flow.ts';
import { type TargetPlace, targetPlaces } from '../../../engine/flow/flow-places.ts';
import { verbOfDestination, verbOfFlow } from '../../../engine/flow/flow-verb.ts';
import { type FlowVerb, verbOfWord } from '../../../engine/flow/verb.ts';

/** Attributes of `to` and `step` that have no effect beside the others. */
export const checkTargetAttributes: FlowRule = (flow, connectors, report) => {
  for (const place of targetPlaces(flow)) {
    const connector = connectors.get(place.values.connector);
    if (!connector) continue;
    if (place.kind === 'step') checkBody(place.values, connector, report);
    if (place.kind === 'to' && verbOfDestination(place.values, askedOf(flow, connectors), connectors) === 'create')
      checkQueryFilter(place.values, report);
  }
};

function inert(report: Report, message: string, at: Origin, help: string): void {
  report('inert-attribute', message, at, { severity: 'warning', help });
}

type Step = Extract<TargetPlace, { kind: 'step' }>['values'];

/** A connector that cannot be called reads a body as the row or the message to write; what only reads does not take a body. */
function checkBody(step: Step, connector: ConnectorDeclaration, report: Report): void {
  if (!isWritten(step, 'body')) return;
  const specs = specsOf(connector);
  const takesIt = specs.some(({ target }) => target?.abilities.includes('call') || target?.readsBody);
  if (takesIt || takesMessages(specs)) return;
  const named = resolveOperation(connector, step.operation);
  const verb = verbOfWord(named ? named.operation : step.operation);
  const writes = verb !== undefined && verb !== 'read';
  if (writes && step.query === undefined && named?.query === undefined) return;
  inert(
    report,
    `step "${step.label}" sends no body`,
    originOf(step, 'body'),
    'Give the values of a statement in params.',
  );
}

type To = Extract<TargetPlace, { kind: 'to' }>['values'];

/** A new row is found by nothing. */
function checkQueryFilter(to: To, report: Report): void {
  if (isWritten(to, 'query_filter'))
    inert(
      report,
      'query_filter finds rows, and a new row is found by nothing',
      originOf(to, 'query_filter'),
      'Remove it.',
    );
}

function askedOf({ values }: FlowDeclaration, connectors: Project['connectors']): FlowVerb {
  const { from } = values;
  return from && !connectors.get(from.connector)?.spec?.source ? 'read' : verbOfFlow(values, connectors);
}
