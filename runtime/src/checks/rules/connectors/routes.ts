import type { ConnectorDeclaration, ProjectRule, Report } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { type FlowDeclaration, flowsOf } from '../../../engine/flow/declarations.ts';
import { type PathConflict, parseOperation, pathConflicts } from '../../../platform/http/routes/route-rules.ts';

/** Paths of one REST connector that no router can distinguish. */
export const checkRoutes: ProjectRule = (project, report) => {
  const byConnector = Map.groupBy(flowsOf(project).flatMap(routed), ({ from }) => from.connector);
  for (const [name, flows] of byConnector) {
    const connector = project.connectors.get(name);
    if (connector?.spec?.source?.routes !== true) continue;
    const operations = flows.map(({ written }) => resolveOperation(connector, written)?.operation ?? written);
    const { parsed, conflicts } = compare(connector, operations);
    checkShared(flows, parsed, report);
    for (const { first, second, message } of conflicts) {
      const [a, b] = [flows[first], flows[second]];
      if (!a || !b) continue;
      report('conflicting-paths', message, originOf(b.from, 'operation'), {
        help: 'Give the parameters the same names, or change one of the paths.',
        related: [{ message: `the other one is in flow "${a.name}"`, ...originOf(a.from, 'operation') }],
      });
    }
  }
};

type RoutedFlow = FlowDeclaration & {
  readonly from: NonNullable<FlowDeclaration['values']['from']>;
  /** The operation as written. */
  readonly written: string;
};

function routed(flow: FlowDeclaration): readonly RoutedFlow[] {
  const { from } = flow.values;
  return from?.operation === undefined ? [] : [{ ...flow, from, written: from.operation }];
}

interface Compared {
  readonly operations: string;
  readonly parsed: readonly ReturnType<typeof parseOperation>[];
  readonly conflicts: readonly PathConflict[];
}

/** The last comparison of each connector. */
const compared = new WeakMap<ConnectorDeclaration, Compared>();

/** The same operations in the same order are not compared again: most edits change no path. */
function compare(connector: ConnectorDeclaration, operations: readonly string[]): Compared {
  const text = operations.join('\n');
  const before = compared.get(connector);
  if (before?.operations === text) return before;
  const now = { operations: text, parsed: operations.map(parseOperation), conflicts: pathConflicts(operations) };
  compared.set(connector, now);
  return now;
}

/** Paths that the service serves by itself, unless a flow does. */
const builtin = ['/health', '/health/live', '/health/ready', '/metrics'];

/** Advice about routes that mean something already: those of an earlier flow, and those of the service itself. */
function checkShared(flows: readonly RoutedFlow[], operations: Compared['parsed'], report: Report): void {
  const first = new Map<string, RoutedFlow>();
  for (const [index, flow] of flows.entries()) {
    const operation = operations[index];
    if (typeof operation !== 'object') continue;
    const route = `${operation.method} ${operation.path}`;
    const at = originOf(flow.from, 'operation');
    const earlier = first.get(route);
    if (earlier)
      report('shared-route', `${route} runs flow "${earlier.name}" too, and that one answers`, at, {
        severity: 'info',
        help: 'Flows of one route run side by side; the answer of the first is sent.',
        related: [{ message: 'it is here', ...originOf(earlier.from, 'operation') }],
      });
    else first.set(route, flow);
    if (operation.method === 'GET' && builtin.includes(operation.path))
      report('replaces-builtin', `flow "${flow.name}" takes the place of the service's own ${operation.path}`, at, {
        severity: 'info',
        help: 'The admin port serves it still.',
      });
  }
}
