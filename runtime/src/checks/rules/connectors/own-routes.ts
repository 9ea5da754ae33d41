import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { routesOf, shapeOf } from './served.ts';

/** Paths that the block of a connector serves, such as its description, and that something else of it serves too. */
export const checkOwnRoutes: ProjectRule = (project, report) => {
  for (const connector of project.connectors.values()) {
    if (connector.spec?.source?.routes !== true) continue;
    const own = new Set<string>();
    const reported = new Set<Origin>();
    for (const { route, at } of routesOf(project, connector)) {
      const shape = shapeOf(route);
      const place = at ?? blockOf(connector);
      if (!own.has(shape)) {
        if (at === undefined) own.add(shape);
        continue;
      }
      if (place === undefined || reported.has(place)) continue;
      reported.add(place);
      report('route-taken', `\`${route}\` is already served by the \`openapi\` block of the connector`, place, {
        help: 'Change one of the paths.',
      });
    }
  }
};

function blockOf({ values, nameOrigin }: ConnectorDeclaration): Origin | undefined {
  const block = (values as Readonly<Record<string, unknown>>)['openapi'] as object | undefined;
  return (block && originOf(block as never, 'ui' as never)) ?? nameOrigin;
}
