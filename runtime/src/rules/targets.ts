import type { ConnectorDeclaration, ProjectRule, Report } from '@svc/protocol/model';
import { isWritten, originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import { flowsOf, specsOf, type TargetPlace, targetPlaces, titleOf } from './flow-places.ts';

/** Every `to`, `step` and `enrich` names a connector that can be asked, and asks what it understands (supplement 6.2). */
export const checkTargets: ProjectRule = (project, report) => {
  for (const flow of flowsOf(project))
    for (const place of targetPlaces(flow)) {
      const connector = project.connectors.get(place.values.connector);
      if (connector) checkPlace(place, connector, flow.name, report);
    }
};

function checkPlace(place: TargetPlace, connector: ConnectorDeclaration, flow: string, report: Report): void {
  const { values, title } = place;
  const at = originOf(values, 'connector');
  const specs = specsOf(connector);
  if (specs.length === 0) return;
  const targets = specs.flatMap(({ target }) => (target ? [target] : []));
  if (targets.length < specs.length) {
    const storage = specs.some((spec) => spec.storage);
    report('not-a-target', `${titleOf(connector)} cannot be asked or written by a flow`, at, {
      help: storage
        ? 'A cache is named in `storage` of a cache or after block.'
        : 'Name a connector that messages go to.',
    });
    return;
  }
  if (isWritten(values, 'headers') && targets.some(({ headers }) => !headers))
    report('headers-not-supported', `${titleOf(connector)} sends no headers`, originOf(values, 'headers'), {
      help: 'Remove the headers, or use a connector of type "http".',
    });
  if (place.kind === 'to') checkDestination(place.values, connector, flow, report);
  const { target } = place.kind === 'enrich' ? { target: undefined } : place.values;
  if (target?.kind === 'constant' && typeof target.value === 'string' && target.value !== '')
    for (const { checkTarget } of targets) {
      const problem = resolveOperation(connector, target.value) ? undefined : checkTarget?.(target.value);
      if (problem === undefined) continue;
      report('malformed-target', problem, target.origin, { help: `It stands in ${title} of flow "${flow}".` });
      break;
    }
}

type To = Extract<TargetPlace, { kind: 'to' }>['values'];

function checkDestination(to: To, connector: ConnectorDeclaration, flow: string, report: Report): void {
  const targets = specsOf(connector).flatMap(({ target }) => (target ? [target] : []));
  if (to.transaction && targets.some(({ transactions }) => !transactions))
    report('transaction-not-supported', `${titleOf(connector)} has no transactions`, originOf(to, 'transaction'), {
      help: 'Transactions need a relational database.',
    });
  const named =
    resolveOperation(connector, to.operation) ??
    (to.target?.kind === 'constant' ? resolveOperation(connector, String(to.target.value)) : undefined);
  const needs = [...new Set(targets.flatMap(({ needsOneOf }) => needsOneOf))];
  if (needs.length > 0 && !named && !needs.some((name) => isWritten(to, name)))
    report('missing-target', `to of flow "${flow}" does not say what to read or write`, originOf(to, 'connector'), {
      help: `Write one of ${needs.join(', ')}.`,
    });
}
