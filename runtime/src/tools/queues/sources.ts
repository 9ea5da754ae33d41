import type { Project } from '@svc/protocol/model';
import type { ConnectorSpec } from '@svc/protocol/schema';
import { titleOf } from '../../connectors/core/declaration.ts';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { loadFactory } from '../../connectors/registry.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import type { Connector, ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { QueueDesk } from '../../foundation/contracts/queue.ts';

/** A connector of messages, which is not open, and what its project says of it. */
export interface QueueConnector {
  readonly name: string;
  readonly spec: ConnectorSpec;
  readonly project: Project;
  readonly connector: Connector;
}

/** The connectors of messages that a project has. */
export function queuesOf(project: Project): readonly string[] {
  return [...project.connectors].filter(([, { spec }]) => spec?.kind === 'queue').map(([name]) => name);
}

/** Makes a connector of messages. Rejects where it does not exist, or is not one. */
export async function queueConnector(
  project: Project,
  name: string,
  services: ConnectorServices,
): Promise<QueueConnector> {
  const declaration = project.connectors.get(name);
  const spec = declaration?.spec;
  const queues = queuesOf(project);
  const others = queues.length === 0 ? 'the configuration has no queue' : `queues are ${queues.join(', ')}`;
  if (spec === undefined) throw new Error(`there is no connector "${name}": ${others}`);
  if (spec.kind !== 'queue') throw new Error(`${titleOf({ name, spec })} is not a queue: ${others}`);
  const create = await loadFactory(spec);
  return { name, spec, project, connector: create(name, declaration?.values as never, services) };
}

/** Connects for people to what its broker keeps; undefined where it keeps nothing. */
export async function deskOf(
  { name, project, connector }: QueueConnector,
  signal: AbortSignal,
): Promise<QueueDesk | undefined> {
  return connector.openDesk?.({ operations: operationsOf(project, name), signal });
}

/** What flows name of the connector, where they name something. */
function operationsOf(project: Project, name: string): readonly string[] {
  const declaration = project.connectors.get(name);
  const taken = flowsOf(project).flatMap(({ values: { from } }) => {
    if (from?.connector !== name || declaration === undefined) return [];
    return resolveOperation(declaration, from.operation)?.operation ?? from.operation ?? [];
  });
  return [...new Set(taken)];
}
