import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { type Origin, originOf } from '@svc/protocol/schema';
import { resolveOperation } from '../../../connectors/core/operations.ts';
import { flowsOf } from '../../../engine/flow/declarations.ts';

/** A route, and what in a block makes it one. */
export interface Served {
  readonly route: string;
  readonly at: Origin | undefined;
}

/** A route without the names of its parameters: two of one shape take the same requests. */
export function shapeOf(route: string): string {
  return route.replace(/\/(?::\w+|\{\w+\})/g, '/:');
}

/** What a connector serves by its own block, and by the flows that it starts. */
export function routesOf(project: Project, connector: ConnectorDeclaration): readonly Served[] {
  const serves = connector.spec?.source?.serves;
  if (serves === undefined) return [];
  const { values } = connector;
  const own = serves(values as never, undefined).map((route) => ({ route, at: undefined }));
  const ofFlows = flowsOf(project).flatMap(({ values: { from } }) => {
    if (from?.connector !== connector.name || from.operation === undefined) return [];
    const operation = resolveOperation(connector, from.operation)?.operation ?? from.operation;
    return serves(values as never, operation).map((route) => ({ route, at: originOf(from, 'operation') }));
  });
  return [...own, ...ofFlows];
}
