import type { ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../connectors/operations.ts';
import { pathConflicts } from '../connectors/rest/rules.ts';
import { flowsOf } from './flow-places.ts';

/** Paths of one REST connector that no router can tell apart (supplement 6.2). */
export const checkRoutes: ProjectRule = (project, report) => {
  const byConnector = Map.groupBy(
    flowsOf(project).filter(({ values }) => values.from?.operation !== undefined),
    ({ values }) => values.from.connector,
  );
  for (const [name, flows] of byConnector) {
    const connector = project.connectors.get(name);
    if (connector?.spec?.type !== 'rest') continue;
    const operations = flows.map(({ values }) => {
      const written = values.from.operation as string;
      return resolveOperation(connector, written)?.operation ?? written;
    });
    for (const { first, second, message } of pathConflicts(operations)) {
      const [a, b] = [flows[first], flows[second]];
      if (!a || !b) continue;
      report('conflicting-paths', message, originOf(b.values.from, 'operation'), {
        help: 'Give the parameters the same names, or change one of the paths.',
        related: [{ message: `the other one is in flow "${a.name}"`, ...originOf(a.values.from, 'operation') }],
      });
    }
  }
};
