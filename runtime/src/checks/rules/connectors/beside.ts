import type { ConnectorDeclaration, ProjectRule } from '@svc/protocol/model';
import { originOf } from '@svc/protocol/schema';
import { routesOf, shapeOf } from './served.ts';

/**
 * What sources serve beside the routes of flows needs a server that has such routes, and a path that nothing else has: where a flow
 * has the same route, that one answers.
 */
export const checkBeside: ProjectRule = (project, report) => {
  const connectors = [...project.connectors.values()];
  const besides = connectors.filter(({ spec }) => spec?.source?.beside !== undefined);
  if (besides.length === 0) return;
  const servers = connectors.filter(
    ({ spec, profiles }) =>
      spec?.source?.routes === true || [...profiles.values()].some((one) => one.spec?.source?.routes === true),
  );
  const taken = new Map(
    servers.flatMap((server) =>
      routesOf(project, server).map(
        ({ route, at }) => [shapeOf(route), { who: `connector "${server.name}"`, at }] as const,
      ),
    ),
  );
  for (const connector of besides) {
    const at = placeOf(connector);
    if (servers.length === 0)
      report('no-server', `connector "${connector.name}" is served by \`rest\` connectors, and there is not one`, at, {
        severity: 'warning',
        help: 'Write a connector of type "rest", whose port it then has.',
      });
    for (const route of connector.spec?.source?.beside?.(connector.values as never) ?? []) {
      const other = taken.get(shapeOf(route));
      if (other !== undefined) {
        report('route-taken', `\`${route}\` is already served by ${other.who}`, at, {
          help: 'Change one of the paths.',
          ...(other.at ? { related: [{ message: `${other.who} serves it here`, ...other.at }] } : {}),
        });
        break;
      }
      taken.set(shapeOf(route), { who: `connector "${connector.name}"`, at });
    }
  }
};

function placeOf(connector: ConnectorDeclaration) {
  return originOf(connector.values as never, 'path' as never) ?? connector.nameOrigin;
}
